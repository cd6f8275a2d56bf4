//! Features, PNU learning, class priors, labels and seat statistics against recorded numbers.
//!
//! Those of the learning were computed by the method author's own program, the features and seat statistics by independent
//! scripts. Every size, grid and basis is read from the files.
//!
//! `FAIRGROUND_GOLDEN` names the data folder; see `common/records.rs` for its default.

#[path = "common/records.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod records;

use std::collections::BTreeMap;

use fairground::games::catan::tables::HEX_COORDINATES;
use fairground::games::catan::{Map, Port, Resource};
use fairground::learn::Rows;
use fairground::learn::features::{
    DuplicateReading, FEATURES, NodeReading, PortReading, Readings, features, port_hexes,
};
use fairground::learn::moments::FeatureMoments;
use fairground::learn::pnu::{Basis, Classifier, Samples, is_positive, least_variance_eta, zero_one_risk};
use fairground::learn::prior::MeanDistances;
use fairground::learn::standard::Standard;
use fairground::learn::two_means::two_means;
use fairground::learn::validate::{Cell, Folds, Grid, Scores};
use fairground::stats::seats::{self, balance, evidence};
use records::{document, document_names};
use serde::Deserialize;

/// The folder of the recorded numbers.
const FOLDER: &str = "pnu/golden";

/// Absolute and relative: whichever allows more.
#[track_caller]
fn assert_near(what: &str, found: f64, expected: f64, tolerance: f64) {
    let allowed = tolerance * expected.abs().max(1.0);
    assert!((found - expected).abs() <= allowed, "{what}: {found} is not {expected}");
}

#[track_caller]
fn assert_relative(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{what}: {found} is not {expected}");
}

#[track_caller]
fn assert_all_near(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_near(&format!("{what} [{place}]"), *found, *expected, tolerance);
    }
}

#[derive(Deserialize)]
struct Index {
    files: Vec<String>,
}

#[test]
fn every_recorded_file_is_tested() {
    let Some(Index { files }) = document(FOLDER, "index") else { return };
    let names = document_names(FOLDER);
    for file in &files {
        let name = file.trim_end_matches(".json");
        assert!(names.iter().any(|other| other == name), "{file} is in the index but not in the folder");
        let is_tested = name.starts_with("pnu_") || ["features76", "kmeans_sd", "seat_stats"].contains(&name);
        assert!(is_tested, "nothing tests {file}");
    }
    assert_eq!(names.len(), files.len() + 1, "{names:?} and the index");
}

#[derive(Deserialize)]
struct FeatureFile {
    land_order_axial_q_r: Vec<(i8, i8)>,
    directions_q_r: BTreeMap<String, (i8, i8)>,
    port_slots: Vec<Slot>,
    resource_order: Vec<String>,
    maps: Vec<RecordedMap>,
}

#[derive(Deserialize)]
struct Slot {
    sea: (i8, i8),
    facing: String,
}

#[derive(Deserialize)]
struct RecordedMap {
    tiles: Vec<String>,
    numbers: Vec<u8>,
    ports: Vec<String>,
    features_sea_hex_hist: Vec<u8>,
    ports_land_hex: Vec<u8>,
    ports_node: Vec<u8>,
    node_hist54: Vec<u8>,
    node_top7: Vec<u8>,
    node_ge9: Vec<u8>,
}

impl RecordedMap {
    fn map(&self) -> Map {
        let port = |name: &String| Resource::from_name(name).map_or(Port::Three, Port::Two);
        let array = "as many as there are places";
        Map {
            tiles: self.tiles.iter().map(|name| Resource::from_name(name)).collect::<Vec<_>>().try_into().expect(array),
            tokens: self.numbers.clone().try_into().expect(array),
            ports: self.ports.iter().map(port).collect::<Vec<_>>().try_into().expect(array),
            name: None,
            comment: None,
        }
    }
}

#[test]
fn features_in_every_reading() {
    let Some(file): Option<FeatureFile> = document(FOLDER, "features76") else { return };
    assert_eq!(file.land_order_axial_q_r, HEX_COORDINATES, "the order of the hexes");
    assert_eq!(file.resource_order, Resource::ALL.map(Resource::name));
    for (slot, (land, sea)) in file.port_slots.iter().zip(port_hexes()) {
        let (dq, dr) = file.directions_q_r[&slot.facing];
        assert_eq!((slot.sea, (slot.sea.0 + dq, slot.sea.1 + dr)), (sea, HEX_COORDINATES[land]));
    }
    assert_eq!(file.port_slots.len(), 9);
    let usual = Readings::default();
    let mut has_pair_by_desert = 0;
    for (number, recorded) in file.maps.iter().enumerate() {
        let map = recorded.map();
        let of = |readings: Readings| features(&map, &readings);
        let ports = |ports| of(Readings { ports, ..usual })[24..42].to_vec();
        let nodes = |nodes| of(Readings { nodes, ..usual })[42..49].to_vec();
        assert_eq!(recorded.features_sea_hex_hist.len(), FEATURES);
        assert_eq!(of(usual).to_vec(), recorded.features_sea_hex_hist, "map {number}");
        assert_eq!(ports(PortReading::LandHex), recorded.ports_land_hex, "map {number}");
        assert_eq!(ports(PortReading::Node), recorded.ports_node, "map {number}");
        assert_eq!(nodes(NodeReading::AllNodes), recorded.node_hist54, "map {number}");
        assert_eq!(nodes(NodeReading::Best), recorded.node_top7, "map {number}");
        assert_eq!(nodes(NodeReading::AboveMean), recorded.node_ge9, "map {number}");
        let strict = of(Readings { duplicates: DuplicateReading::ThreeResources, ..usual });
        has_pair_by_desert += usize::from(strict[49] < recorded.features_sea_hex_hist[49]);
    }
    assert!(file.maps.len() >= 10 && has_pair_by_desert > 0, "{} maps", file.maps.len());
}

#[derive(Deserialize)]
struct PnuFile {
    dim: usize,
    n_p: usize,
    n_n: usize,
    n_u: usize,
    n_t: usize,
    x_p: Option<Vec<Vec<f64>>>,
    x_n: Option<Vec<Vec<f64>>>,
    x_u: Option<Vec<Vec<f64>>>,
    x_t: Option<Vec<Vec<f64>>>,
    raw_x_p: Option<Vec<Vec<u8>>>,
    raw_x_n: Option<Vec<Vec<u8>>>,
    raw_x_u: Option<Vec<Vec<u8>>>,
    raw_x_t: Option<Vec<Vec<u8>>>,
    mean: Option<Vec<f64>>,
    scale: Option<Vec<f64>>,
    y_t: Vec<i8>,
    cpe: Vec<RecordedPrior>,
    fits: Vec<RecordedFit>,
    cv: Vec<RecordedValidation>,
}

#[derive(Deserialize)]
struct RecordedPrior {
    alpha: f64,
    theta_pywsl: f64,
    mean_dist_pywsl: BTreeMap<String, f64>,
    theta_unclipped: f64,
    theta_exact_distance: f64,
    ours_u_statistic: RecordedRatio,
}

#[derive(Deserialize)]
struct RecordedRatio {
    num: f64,
    den: f64,
    theta_unclipped: f64,
}

#[derive(Deserialize)]
struct RecordedFit {
    basis: String,
    prior: f64,
    eta: f64,
    lam: f64,
    sigma: Option<f64>,
    n_basis: Option<usize>,
    center_index_into_u: Option<Vec<usize>>,
    etab: f64,
    coef: Vec<f64>,
    decision_t: Vec<f64>,
    predict_t: Vec<f64>,
    distance_t: Option<Vec<f64>>,
    err_t: f64,
    err_t_prior: f64,
    calc_risk_train: f64,
    score_1_minus_pnu_risk_train: f64,
}

#[derive(Deserialize)]
struct RecordedValidation {
    basis: String,
    prior: f64,
    n_fold: usize,
    eta_list: Vec<f64>,
    sigma_list: Vec<f64>,
    lambda_list: Vec<f64>,
    center_index_into_u: Option<Vec<usize>>,
    fold_of_p: Vec<usize>,
    fold_of_n: Vec<usize>,
    fold_of_u: Vec<usize>,
    etab: f64,
    score_table_sigma_lambda_eta: Vec<Vec<Vec<f64>>>,
    score_list_eta: Vec<f64>,
    best: RecordedBest,
    ties_with_best: usize,
    w: Vec<f64>,
    decision_t: Vec<f64>,
    err_t: f64,
}

#[derive(Deserialize)]
struct RecordedBest {
    sigma_index: usize,
    lambda_index: usize,
    eta_index: usize,
}

/// The samples of a file, in the scale they were learned in.
struct Blocks {
    p: Rows,
    n: Rows,
    u: Rows,
    t: Rows,
}

impl Blocks {
    fn of(name: &str, file: &PnuFile) -> Self {
        let table = |rows: &Vec<Vec<f64>>| Rows::collect(rows.iter().map(Vec::as_slice)).expect("a table");
        let blocks = if let (Some(p), Some(n), Some(u), Some(t)) = (&file.x_p, &file.x_n, &file.x_u, &file.x_t) {
            Self { p: table(p), n: table(n), u: table(u), t: table(t) }
        } else {
            let raw = [&file.raw_x_p, &file.raw_x_n, &file.raw_x_u, &file.raw_x_t];
            let raw = raw.map(|rows| rows.as_ref().expect("raw rows"));
            let [p, n, u, t] =
                raw.map(|rows| table(&rows.iter().map(|row| row.iter().map(|&x| x.into()).collect()).collect()));
            let standard = Standard::of(&u);
            assert_all_near(&format!("{name} mean"), &standard.mean, file.mean.as_ref().expect("means"), 1e-12);
            assert_all_near(&format!("{name} scale"), &standard.scale, file.scale.as_ref().expect("scales"), 1e-12);
            let maps: Vec<[u8; FEATURES]> =
                raw[2].iter().map(|row| row.clone().try_into().expect("76 features")).collect();
            let exact = FeatureMoments::of(&maps).standard();
            assert_all_near(&format!("{name} exact mean"), &exact.mean, &standard.mean, 1e-12);
            assert_all_near(&format!("{name} exact scale"), &exact.scale, &standard.scale, 1e-12);
            let [p, n, u, t] = [p, n, u, t].map(|rows| standard.apply_to(&rows).expect("the same width"));
            Self { p, n, u, t }
        };
        let sizes = [&blocks.p, &blocks.n, &blocks.u, &blocks.t].map(Rows::len);
        assert_eq!(sizes, [file.n_p, file.n_n, file.n_u, file.n_t], "{name}");
        assert_eq!((blocks.u.width(), file.y_t.len()), (file.dim, file.n_t), "{name}");
        blocks
    }

    fn samples(&self) -> Samples<'_> {
        Samples { p: &self.p, n: &self.n, u: &self.u }
    }

    fn basis(&self, name: &str, sigma: Option<f64>, centres: Option<&Vec<usize>>) -> Basis {
        match name {
            "lm" => Basis::Linear { width: self.u.width() },
            "gauss" => {
                let centres = centres.expect("centres").iter().map(|&index| self.u.row(index));
                Basis::Gaussian { centres: Rows::collect(centres).expect("centres"), sigma: sigma.expect("a width") }
            }
            other => panic!("there is no basis {other}"),
        }
    }
}

/// All files about learning, by name.
fn pnu_files() -> Vec<(String, PnuFile)> {
    let names = document_names(FOLDER).into_iter().filter(|name| name.starts_with("pnu_"));
    names.filter_map(|name| document(FOLDER, &name).map(|file| (name, file))).collect()
}

fn share_of_errors(decisions: &[f64], truth: &[i8]) -> f64 {
    let is_wrong = |(decision, truth): &(&f64, &i8)| is_positive(**decision) != (**truth > 0);
    decisions.iter().zip(truth).filter(is_wrong).count() as f64 / truth.len() as f64
}

#[test]
fn class_priors() {
    let mut tested = 0;
    for (name, file) in pnu_files() {
        let blocks = Blocks::of(&name, &file);
        for recorded in &file.cpe {
            let at = format!("{name} alpha {}", recorded.alpha);
            let found = MeanDistances::between(&blocks.p, &blocks.n, &blocks.u, recorded.alpha).expect("samples");
            // The author's expanded square leaves noise on the diagonal, and a small exponent magnifies it.
            let noise = if recorded.alpha < 1.0 { 2e-5 } else { 1e-6 };
            let means = &recorded.mean_dist_pywsl;
            for (kind, found) in
                [("pp", found.pp), ("nn", found.nn), ("pn", found.pn), ("pu", found.pu), ("nu", found.nu)]
            {
                assert_near(&format!("{at} {kind}"), found, means[kind], 10.0 * noise);
            }
            let theta = found.author().expect("an estimate");
            assert_near(&at, theta, recorded.theta_pywsl, noise);
            assert_near(&at, theta, recorded.theta_exact_distance, 1e-9);
            let [numerator, denominator] = found.ratio();
            assert_near(&format!("{at} unclipped"), numerator / denominator, recorded.theta_unclipped, noise);
            let [numerator, denominator] = found.corrected().ratio();
            let expected = &recorded.ours_u_statistic;
            assert_near(&format!("{at} numerator"), numerator, expected.num, 1e-9);
            assert_near(&format!("{at} denominator"), denominator, expected.den, 1e-9);
            assert_near(&format!("{at} unbiased"), numerator / denominator, expected.theta_unclipped, 1e-7);
            let is_told = expected.den > 0.0 && (0.02..=0.98).contains(&expected.theta_unclipped);
            assert_eq!(found.unbiased().is_ok(), is_told, "{at}");
            tested += 1;
        }
    }
    assert!(tested >= 3 || pnu_files().is_empty(), "{tested}");
}

#[test]
fn closed_form_fits() {
    let mut tested: BTreeMap<(String, bool), usize> = BTreeMap::new();
    for (name, file) in pnu_files() {
        let blocks = Blocks::of(&name, &file);
        for (number, fit) in file.fits.iter().enumerate() {
            let at = |what: &str| format!("{name} fit {number} {what}");
            let basis = blocks.basis(&fit.basis, fit.sigma, fit.center_index_into_u.as_ref());
            assert!(fit.n_basis.is_none_or(|count| count == basis.len()), "{}", at("basis"));
            let model = Classifier::fit(&blocks.samples(), basis, fit.prior, fit.eta, fit.lam).expect("a fit");
            assert_all_near(&at("coef"), &model.weights, &fit.coef, 1e-6);
            let decisions = model.decide_all(&blocks.t);
            assert_all_near(&at("decision"), &decisions, &fit.decision_t, 1e-6);
            // A recorded value that is 0 but for rounding has no sign.
            let signs = decisions.iter().map(|&decision| if is_positive(decision) { 1.0 } else { -1.0 });
            let predicted = signs.zip(&fit.predict_t).zip(&fit.decision_t);
            assert!(
                predicted.clone().all(|((found, expected), g)| found == *expected || g.abs() < 1e-6),
                "{}",
                at("sign")
            );
            let distances: Option<Vec<_>> = blocks.t.iter().map(|sample| model.distance(sample)).collect();
            assert_eq!(distances.is_some(), fit.distance_t.is_some(), "{}", at("distance"));
            if let (Some(found), Some(expected)) = (distances, &fit.distance_t) {
                assert_all_near(&at("distance"), &found, expected, 1e-6);
            }
            let etab = least_variance_eta(fit.prior, file.n_p, file.n_n);
            assert_near(&at("etab"), etab, fit.etab, 1e-12);
            let [p, n, u] = [&blocks.p, &blocks.n, &blocks.u].map(|rows| model.decide_all(rows));
            let risk = zero_one_risk(fit.prior, etab, &p, &n, &u);
            assert_near(&at("risk"), risk, fit.calc_risk_train, 1e-9);
            let [p, n, u] = [p, n, u].map(|decisions| {
                decisions.iter().map(|&decision| if is_positive(decision) { 1.0 } else { -1.0 }).collect::<Vec<_>>()
            });
            let score = 1.0 - zero_one_risk(fit.prior, etab, &p, &n, &u);
            assert_near(&at("score"), score, fit.score_1_minus_pnu_risk_train, 1e-9);
            assert_near(&at("errors"), share_of_errors(&decisions, &file.y_t), fit.err_t, 1e-12);
            let of_class = |class: i8| {
                let members = decisions.iter().zip(&file.y_t).filter(|&(_, &truth)| truth == class);
                let (decisions, truth): (Vec<f64>, Vec<i8>) = members.unzip();
                share_of_errors(&decisions, &truth)
            };
            let by_prior = fit.prior * of_class(1) + (1.0 - fit.prior) * of_class(-1);
            assert_near(&at("errors by prior"), by_prior, fit.err_t_prior, 1e-12);
            *tested.entry((fit.basis.clone(), fit.eta < 0.0)).or_default() += 1;
        }
        assert!(!file.fits.is_empty(), "{name}");
    }
    assert!(tested.len() == 4 || tested.is_empty(), "both bases, both signs of eta: {tested:?}");
}

#[test]
fn cross_validation_as_the_author_does_it() {
    let mut tied = 0;
    let mut tested = 0;
    for (name, file) in pnu_files() {
        let blocks = Blocks::of(&name, &file);
        for recorded in &file.cv {
            let at = format!("{name} cross-validation of {}", recorded.basis);
            let basis =
                |&sigma: &f64| blocks.basis(&recorded.basis, Some(sigma), recorded.center_index_into_u.as_ref());
            let grid = Grid {
                etas: recorded.eta_list.clone(),
                lambdas: recorded.lambda_list.clone(),
                bases: recorded.sigma_list.iter().map(basis).collect(),
            };
            let folds = Folds {
                count: recorded.n_fold,
                p: recorded.fold_of_p.clone(),
                n: recorded.fold_of_n.clone(),
                u: recorded.fold_of_u.clone(),
            };
            let scores = Scores::compute(&blocks.samples(), recorded.prior, &grid, &folds).expect("scores");
            let etab = least_variance_eta(recorded.prior, file.n_p, file.n_n);
            assert_near(&format!("{at}: etab"), etab, recorded.etab, 1e-12);
            let table = &recorded.score_table_sigma_lambda_eta;
            let mut cells = 0;
            for (basis, by_lambda) in table.iter().enumerate() {
                for (lambda, by_eta) in by_lambda.iter().enumerate() {
                    for (eta, &expected) in by_eta.iter().enumerate() {
                        let cell = Cell { basis, lambda, eta };
                        assert_near(&format!("{at}: {cell:?}"), scores.mean(cell), expected, 1e-9);
                        cells += 1;
                    }
                }
            }
            assert_eq!(cells, grid.bases.len() * grid.lambdas.len() * grid.etas.len(), "{at}");
            for (eta, &expected) in recorded.score_list_eta.iter().enumerate() {
                let of_eta = table.iter().flatten().map(|by_eta| by_eta[eta]).fold(f64::INFINITY, f64::min);
                assert_near(&format!("{at}: best of eta {eta}"), of_eta, expected, 1e-9);
            }
            let recorded_best = &recorded.best;
            let best = Cell {
                basis: recorded_best.sigma_index,
                lambda: recorded_best.lambda_index,
                eta: recorded_best.eta_index,
            };
            let (least, chosen) = (scores.mean(best), scores.author_choice());
            assert_near(&format!("{at}: chosen {chosen:?}, recorded {best:?}"), scores.mean(chosen), least, 1e-9);
            // Among cells that tie exactly the first is the author's; those that tie but for rounding are as good.
            let score = |cell: Cell| table[cell.basis][cell.lambda][cell.eta];
            assert!(chosen == best || score(chosen) != score(best), "{at}: {chosen:?} is not {best:?}");
            // Recorded ties may or may not count those that tie but for rounding.
            let ties = |within: f64| {
                table.iter().flatten().flatten().filter(|&&other| (other - score(best)).abs() <= within).count()
            };
            assert!((ties(0.0)..=ties(1e-9)).contains(&recorded.ties_with_best), "{at}");
            let model = Classifier::fit(
                &blocks.samples(),
                grid.bases[best.basis].clone(),
                recorded.prior,
                grid.etas[best.eta],
                grid.lambdas[best.lambda],
            );
            let model = model.expect("a fit");
            assert_all_near(&format!("{at}: w"), &model.weights, &recorded.w, 1e-6);
            let decisions = model.decide_all(&blocks.t);
            assert_all_near(&format!("{at}: decision"), &decisions, &recorded.decision_t, 1e-6);
            assert_near(&format!("{at}: errors"), share_of_errors(&decisions, &file.y_t), recorded.err_t, 1e-12);
            tied += usize::from(recorded.ties_with_best > 1);
            tested += 1;
        }
    }
    assert!(tested == 0 || (tested > 2 && tied > 0), "{tied} of {tested} have ties");
}

#[derive(Deserialize)]
struct MeansFile {
    cases: Vec<MeansCase>,
}

#[derive(Deserialize)]
struct MeansCase {
    n_maps: usize,
    games: u64,
    wins: Vec<[u64; 4]>,
    sd_ddof1: Vec<f64>,
    centres_sorted: [f64; 2],
    inertia: f64,
    positive: Vec<bool>,
    threshold: f64,
    sigma2_unbiased: Vec<f64>,
    chi2: Vec<f64>,
}

#[test]
fn labels_by_two_means() {
    let Some(MeansFile { cases }) = document(FOLDER, "kmeans_sd") else { return };
    for (number, case) in cases.iter().enumerate() {
        let at = |what: &str| format!("case {number} {what}");
        assert_eq!(case.wins.len(), case.n_maps);
        let spreads: Vec<_> = case.wins.iter().map(|wins| seats::spread(wins, case.games)).collect();
        for (map, wins) in case.wins.iter().enumerate() {
            assert_relative(&at("spread"), spreads[map], case.sd_ddof1[map], 1e-9);
            let variance = seats::debiased_variance(wins, case.games);
            assert_near(&at("variance"), variance * 1e4, case.sigma2_unbiased[map] * 1e4, 1e-9);
            let statistic = balance::equality_statistic(spreads[map], case.games);
            assert_relative(&at("statistic"), statistic, case.chi2[map], 1e-9);
        }
        let groups = two_means(&spreads).expect("spreads that differ");
        assert_eq!(groups.is_low, case.positive, "{}", at("labels"));
        assert_relative(&at("inertia"), groups.inertia, case.inertia, 1e-9);
        assert_relative(&at("threshold"), groups.threshold(), case.threshold, 1e-9);
        for (found, expected) in groups.centres.iter().zip(case.centres_sorted) {
            assert_relative(&at("centre"), *found, expected, 1e-9);
        }
    }
    assert!(cases.len() > 2);
}

#[derive(Deserialize)]
struct SeatFile {
    cases: Vec<BTreeMap<String, serde_json::Value>>,
    noncentral_chi2_df3: Vec<NoncentralCase>,
}

#[derive(Deserialize)]
struct NoncentralCase {
    x: f64,
    ncp: f64,
    cdf: f64,
}

/// A number behind the last of some words in a key: `0028` stands for 0.0028, `0.007` for itself.
fn number_in(key: &str, prefix: &str) -> Option<f64> {
    let digits = key.strip_prefix(prefix)?;
    if digits.contains('.') { digits.parse().ok() } else { format!("0.{digits}").parse().ok() }
}

#[test]
fn seat_statistics() {
    let Some(file): Option<SeatFile> = document(FOLDER, "seat_stats") else { return };
    for case in &file.noncentral_chi2_df3 {
        let found = balance::noncentral_chi_square(case.x, case.ncp);
        assert!((found - case.cdf).abs() <= 1e-10, "F({}; {}): {found} is not {}", case.x, case.ncp, case.cdf);
    }
    let mut tested = BTreeMap::<&str, usize>::new();
    for (number, case) in file.cases.iter().enumerate() {
        let games = case["games"].as_u64().expect("games");
        let wins: [u64; 4] = serde_json::from_value(case["wins"].clone()).expect("wins of four seats");
        let spread = seats::spread(&wins, games);
        let statistic = balance::equality_statistic(spread, games);
        for (key, expected) in case.iter().filter(|(key, _)| !["games", "wins"].contains(&key.as_str())) {
            let (at, expected) = (format!("case {number} {key}"), expected.as_f64().expect("a number"));
            let is_probable =
                |found: f64| assert!((found - expected).abs() <= 1e-10, "{at}: {found} is not {expected}");
            let kind = match key.as_str() {
                "sd" => {
                    assert_relative(&at, spread, expected, 1e-9);
                    "sd"
                }
                "chi2" => {
                    assert_relative(&at, statistic, expected, 1e-9);
                    "chi2"
                }
                "chi2_sf" => {
                    is_probable(seats::equality_p(&wins));
                    is_probable(1.0 - balance::noncentral_chi_square(statistic, 0.0));
                    "chi2_sf"
                }
                "sigma2_unbiased" => {
                    // A difference: relative to what it is the difference of.
                    let found = seats::debiased_variance(&wins, games);
                    assert!((found - expected).abs() <= 1e-9 * spread * spread, "{at}: {found} is not {expected}");
                    "sigma2_unbiased"
                }
                "upper_triangle_95" => {
                    assert_relative(&at, balance::upper_end(spread, games, 0.05), expected, 1e-9);
                    "upper_triangle_95"
                }
                other => {
                    if let Some(bound) = number_in(other, "log_e_value_sigma0_") {
                        let found = evidence::log_e_value(spread, games, bound);
                        assert!((found - expected).abs() <= 1e-7, "{at}: {found} is not {expected}");
                        "e value"
                    } else if let Some(bound) = number_in(other, "np_test_p_sigma0_") {
                        is_probable(balance::below_by_chance(spread, games, bound));
                        "fixed test"
                    } else {
                        let settings = other.strip_prefix("posterior_P_sigma_lt_").expect("a known statistic");
                        let (bound, tau) = settings.split_once("_tau_").expect("a bound and tau");
                        let (bound, tau) = (number_in(bound, "").expect("a bound"), tau.parse().expect("tau"));
                        is_probable(balance::probability_below(spread, games, tau, bound));
                        "posterior"
                    }
                }
            };
            *tested.entry(kind).or_default() += 1;
        }
    }
    assert!(tested.len() == 8 && tested.values().all(|&count| count >= file.cases.len()), "{tested:?}");
    assert!(file.cases.len() >= 4 && file.noncentral_chi2_df3.len() >= 10);
}
