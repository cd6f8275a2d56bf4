//! Tables 3 and 4 of the report.

use fairground::papers::tubstap::depth::{
    CLASSES, DEPTHS, Fit, PUBLISHED, Profile, SEARCHES, SIMULATIONS, TICK, nearest,
};
use fairground::papers::tubstap::{Estimate, claims};

use super::figures::{Figure, Of, p_value, signed, with_error};
use super::{Document, Part, Session};

impl Session<'_> {
    /// Tables 3 and 4; returns what they say of the claims.
    pub fn add_depths(&self, document: &mut Document, profiles: &[Profile]) -> Vec<String> {
        let is_papers = self.maps[0].is_papers;
        let fits: Vec<_> = profiles.iter().filter(|_| is_papers).map(|profile| profile.fit(self.args.seed)).collect();
        let best = nearest(profiles, &fits).filter(|&best| best != 1);
        let deepest = profiles.iter().flat_map(|profile| &profile.searches).map(Vec::len).max().unwrap_or(0);
        let depths = deepest.max(DEPTHS);
        for is_pruned in [false, true] {
            let what = if is_pruned { "single pruning of panzers" } else { "no pruning" };
            document.parts.push(Part::Heading(format!("Tables 3 and 4: nodes by depth on map 1, {what}")));
            let own: Vec<_> = profiles.iter().filter(|profile| profile.is_pruned == is_pruned).collect();
            let shown = own.iter().filter(|profile| profile.seed_group == 1 || best == Some(profile.seed_group));
            document.parts.push(by_depth(&shown.copied().collect::<Vec<_>>(), depths, is_papers));
            let fits = profiles.iter().zip(&fits).filter(|(profile, _)| profile.is_pruned == is_pruned);
            let fits: Vec<_> = fits.map(|(_, fit)| *fit).collect();
            document.parts.push(by_seed_group(&own, &fits));
            for (index, profile) in own.into_iter().enumerate() {
                self.add_records(document, profile, fits.get(index), depths);
            }
        }
        add_notes(document, is_papers);
        let seed_groups: Vec<_> = [Some(1), best].into_iter().flatten().collect();
        let mut claims: Vec<_> = claims::of_depth(profiles, &seed_groups).into_iter().collect();
        claims.extend(claims::of_seeding(profiles, &fits));
        claims.extend(best.map(|best| {
            let per_second = f64::from(best) / TICK * 1000.0;
            format!(
                "If these groups are ticks of {TICK} ms, the paper's machine made about {per_second:.0} simulations a second, \
                 which in 5 seconds is {:.0} for each of six units.",
                per_second * 5.0 / 6.0
            )
        }));
        claims
    }

    fn add_records(&self, document: &mut Document, profile: &Profile, fit: Option<&Fit>, depths: usize) {
        let of = Of {
            table: "3",
            experiment: profile.is_pruned.then_some("single"),
            kind: profile.is_pruned.then_some("panzer"),
            seed_group: profile.seed_group,
            simulations: SIMULATIONS,
            ..self.of_games()
        };
        let n = profile.searches.len() as u64;
        let known = |paper: Estimate| of.is_papers(self).then_some((SEARCHES, paper));
        for depth in 0..depths {
            let paper = known(profile.paper_nodes(depth));
            let figure = Figure { paper, ..Figure::new("nodes", n, profile.mean_nodes(depth)) };
            document.records.push(self.record(&Of { depth: Some(depth), ..of }, &figure));
        }
        let paper = known(profile.paper_depth());
        let figure = Figure { paper, ..Figure::new("depth of tree", n, profile.mean_depth()) };
        document.records.push(self.record(&Of { table: "4", ..of }, &figure));
        if let Some(fit) = fit {
            let distance = Estimate { value: fit.distance, error: f64::NAN };
            let figure = Figure { p: Some(fit.p), ..Figure::new("distance from paper", n, distance) };
            document.records.push(self.record(&of, &figure));
        }
    }
}

/// Profiles side by side, beside the paper's if it is the same map.
fn by_depth(profiles: &[&Profile], depths: usize, is_papers: bool) -> Part {
    let mut heads = vec!["depth".to_owned()];
    heads.extend(is_papers.then(|| "paper".into()));
    for profile in profiles {
        heads.push(format!("groups of {}", profile.seed_group));
        heads.extend(is_papers.then(|| "z".into()));
    }
    let row = |name: String, digits: usize, figures: &dyn Fn(&Profile) -> [Estimate; 2]| {
        let mut cells = vec![name];
        let paper = profiles.first().filter(|_| is_papers).map(|profile| figures(profile)[1].value);
        cells.extend(paper.map(|paper| format!("{paper:.digits$}")));
        for profile in profiles {
            let [own, paper] = figures(profile);
            cells.push(with_error(own, digits));
            cells.extend(is_papers.then(|| signed(own.less(paper).z(0.0))));
        }
        cells
    };
    let nodes = |depth: usize| row(depth.to_string(), 1, &|of: &Profile| [of.mean_nodes(depth), of.paper_nodes(depth)]);
    let mut rows: Vec<_> = (0..depths).map(nodes).collect();
    rows.push(row("mean depth of tree".into(), 2, &|of: &Profile| [of.mean_depth(), of.paper_depth()]));
    Part::Table(heads, rows)
}

/// One profile a row, with its distance from the paper if it is the same map.
fn by_seed_group(profiles: &[&Profile], fits: &[Fit]) -> Part {
    let mut heads = vec!["groups of", "searches", "nodes at depth 7", "mean depth"];
    heads.extend(fits.first().into_iter().flat_map(|_| ["distance", "p"]));
    let rows = profiles.iter().enumerate().map(|(index, profile)| {
        let mut cells = vec![profile.seed_group.to_string(), profile.searches.len().to_string()];
        cells.extend([with_error(profile.mean_nodes(7), 0), with_error(profile.mean_depth(), 2)]);
        cells.extend(fits.get(index).into_iter().flat_map(|fit| [format!("{:.1}", fit.distance), p_value(fit.p)]));
        cells
    });
    Part::table(&heads, rows.collect())
}

fn add_notes(document: &mut Document, is_papers: bool) {
    let mut lines = vec![
        "Means over the searches with their standard errors. The mean depth is that of the deepest node of each tree."
            .to_owned(),
    ];
    if is_papers {
        let [plain, pruned] = PUBLISHED.map(|published| published.mean_node_depth());
        lines.push(format!(
            "This is how we read the mean depth of Table 4: the mean depth of the nodes would be {plain:.2} and \
             {pruned:.2} by Table 3."
        ));
        lines.push(format!(
            "z is the difference from the paper in standard errors, the paper's taken to be those of {SEARCHES} searches of \
             ours. The distance is the sum of its squares over depths 2 to {CLASSES} and all deeper ones together; p is the \
             share of resampled pairs of our own runs that are at least as far apart."
        ));
    }
    document.parts.push(Part::Lines(lines));
}
