//! How much is played, and how that differs from the thesis.

use fairground::games::catan::Strategy;
use fairground::games::catan::tables::SEATS;
use fairground::papers::negotiation::agreement::FOUND;
use fairground::papers::negotiation::{AGAINST_BUILDERS, GAMES_FROM_SEAT, MOVER_PLAYOUTS, SEARCHES, SEAT_WINS};
use fairground::players::catan::choice::Choice as Mover;
use fairground::players::catan::uct::Settings;

use super::Session;
use crate::cli::output::grouped;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Budget {
    /// Few games, and moves by weaker players: minutes
    Quick,
    /// As much as in the thesis, and more playouts: some 30 billion playouts, days on two cores
    Thesis,
}

/// How much is played with one mover.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub mover: Mover,
    /// Games of experiments by rules and by playouts.
    pub games: [u64; 2],
}

/// Negotiations whose choices are compared, by this many playouts of this sort.
pub type Compared = (u32, Strategy, usize);

/// How much is judged of single choices.
#[derive(Clone, Copy, Debug)]
pub struct Judging {
    /// Moments among which those are sought in which somebody leads.
    pub sought: usize,
    /// Moments that are judged.
    pub moments: usize,
    /// Playouts of the judge.
    pub playouts: u32,
}

/// A tree search of so many playouts.
pub fn uct(simulations: u32) -> Mover {
    Mover::Uct(Settings { simulations, ..Settings::default() })
}

impl Budget {
    pub fn sizes(self) -> Vec<Size> {
        match self {
            Self::Quick => vec![
                Size { mover: Mover::Policy(Strategy::Heuristic), games: [6000, 96] },
                Size { mover: uct(20), games: [96, 24] },
            ],
            Self::Thesis => vec![Size { mover: uct(MOVER_PLAYOUTS), games: [GAMES_FROM_SEAT * SEATS as u64; 2] }],
        }
    }

    /// Games of random players, and of each row of figure 7.
    pub const fn searches(self) -> (u64, [u64; SEARCHES.len()]) {
        match self {
            Self::Quick => (24_000, [480, 96, 48, 24, 96]),
            Self::Thesis => (24_000, [4000, 4000, 4000, 400, 4000]),
        }
    }

    /// Games of each tree search against builders.
    pub const fn against_builders(self) -> [u64; AGAINST_BUILDERS.len()] {
        match self {
            Self::Quick => [96, 24],
            Self::Thesis => [4000, 400],
        }
    }

    /// In the order of falling numbers of negotiations, for each sort of playouts.
    pub const fn compared(self) -> [Compared; 5] {
        let (random, heuristic) = (Strategy::Random, Strategy::Heuristic);
        match self {
            Self::Quick => [
                (100, random, 1000),
                (1000, random, 200),
                (10_000, random, 48),
                (100, heuristic, 1000),
                (1000, heuristic, 200),
            ],
            Self::Thesis => [
                (100, random, 100_000),
                (1000, random, 100_000),
                (10_000, random, 10_000),
                (100, heuristic, 100_000),
                (1000, heuristic, 100_000),
            ],
        }
    }

    /// Proposals beyond the thesis against those who accept everything, and their games.
    pub const fn beyond(self) -> [(&'static str, u64); 5] {
        let games = match self {
            Self::Quick => [24, 0, 96, 24, 24],
            Self::Thesis => [4000, 400, 4000, 4000, 400],
        };
        [
            ("selfish:1000", games[0]),
            ("selfish:10000", games[1]),
            ("selfish:100,rollout=heuristic", games[2]),
            ("selfish:1000,rollout=heuristic", games[3]),
            ("selfish:10000,rollout=heuristic", games[4]),
        ]
    }

    pub const fn judging(self) -> Judging {
        match self {
            Self::Quick => Judging { sought: 600, moments: 60, playouts: 10_000 },
            Self::Thesis => Judging { sought: 6000, moments: 600, playouts: 100_000 },
        }
    }

    /// Moments for the variance of differences, and playouts of every trade.
    pub const fn spread(self) -> (usize, u32) {
        match self {
            Self::Quick => (60, 400),
            Self::Thesis => (600, 1000),
        }
    }

    /// Games for each number of playouts whose time is taken.
    pub const fn timed(self) -> u64 {
        match self {
            Self::Quick => 12,
            Self::Thesis => 96,
        }
    }
}

/// A number beside the thesis'.
fn beside(own: u64, thesis: u64) -> String {
    let (own_text, thesis_text) = (grouped(own), grouped(thesis));
    match own.cmp(&thesis) {
        std::cmp::Ordering::Less => format!("{own_text} (fewer than the thesis' {thesis_text})"),
        std::cmp::Ordering::Equal => format!("{own_text} (as in the thesis)"),
        std::cmp::Ordering::Greater => format!("{own_text} (more than the thesis' {thesis_text})"),
    }
}

impl Session<'_> {
    /// What is played, and how that differs from the thesis: a line for each part.
    pub(super) fn conditions(&self, sizes: &[Size]) -> Vec<String> {
        let names: Vec<_> = self.maps.iter().map(|(name, _)| name.as_str()).collect();
        let budget = self.args.budget;
        let experiment = GAMES_FROM_SEAT * SEATS as u64;
        let list = |parts: Vec<String>| if parts.is_empty() { "nothing".into() } else { parts.join(", ") };
        let mut lines = vec![format!(
            "Maps: {}; the thesis shuffles the tiles for each game (its 4.1.2). Parts with few games are on fewer maps. Seed {}.",
            names.join(", "),
            self.args.seed
        )];
        let (random, searches) = budget.searches();
        lines.push(format!("Figure 6: games {}.", beside(self.games(random), SEAT_WINS.iter().sum())));
        let rows = SEARCHES.iter().zip(searches).filter(|(_, games)| self.games(*games) > 0);
        let rows = rows.map(|(search, games)| match search.thesis {
            Some(_) if search.is_of_curve() => format!("{} {}", search.player, beside(self.games(games), experiment)),
            _ => format!("{} {} (not in the thesis)", search.player, grouped(self.games(games))),
        });
        lines.push(format!("Figure 7: games of {}.", list(rows.collect())));
        let rows = AGAINST_BUILDERS.iter().zip(budget.against_builders()).filter(|(_, games)| self.games(*games) > 0);
        let rows = rows.map(|((playouts, _), games)| {
            format!("{} with {} playouts", grouped(self.games(games)), grouped((*playouts).into()))
        });
        lines.push(format!(
            "Against builders (not in the thesis): games {}, for each sort of playouts.",
            list(rows.collect())
        ));
        for Size { mover, games } in sizes {
            let [rules, playouts] = games.map(|games| beside(self.games(games), experiment));
            let is_thesis = *mover == uct(MOVER_PLAYOUTS);
            lines.push(format!(
                "Figures 8 and 12 to 17, moves by {mover}{}: games of each experiment by rules {rules}, by playouts {playouts}.",
                if is_thesis {
                    ", as in the thesis".to_owned()
                } else {
                    format!(", where the thesis has tree search with {} playouts", grouped(MOVER_PLAYOUTS.into()))
                }
            ));
        }
        let rows = budget.compared().into_iter().filter(|(.., number)| self.scaled(*number as u64) > 0);
        let rows = rows.map(|(playouts, rollout, number)| {
            let thesis = FOUND.iter().find(|found| found.playouts == playouts && rollout == Strategy::Random);
            let number = self.scaled(number as u64);
            let text = match thesis {
                Some(found) => beside(number, found.negotiations),
                None => format!("{} (not in the thesis)", grouped(number)),
            };
            format!("with {} {} playouts at most {text}", grouped(playouts.into()), rollout.name())
        });
        let mover = sizes.first().map_or_else(String::new, |size| size.mover.to_string());
        lines.push(format!("Figures 9 to 11: negotiations in games of {mover}, {}.", list(rows.collect())));
        let rows = budget.beyond().into_iter().filter(|(_, games)| self.games(*games) > 0);
        let rows = rows.map(|(player, games)| format!("{player} {}", grouped(self.games(games))));
        lines.push(format!("Beyond the thesis: games of {}.", list(rows.collect())));
        lines.push("Shares are in percent with 95 % intervals. A fair share of wins is 25 %.".into());
        lines
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use fairground::batch::Evaluator;
    use fairground::games::catan::Catan;

    use super::super::{Args, Session};
    use crate::cli::games::GameArg;
    use crate::cli::maps;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn conditions(line: &str) -> String {
        let Line { args } = Line::parse_from(std::iter::once("reproduce").chain(line.split_whitespace()));
        let maps = maps::builtin::<Catan>(&GameArg::Catan.builtin_names());
        let session = Session { args: &args, maps, evaluator: Evaluator::default() };
        session.conditions(&session.sizes()).join("\n")
    }

    #[test]
    fn every_part_says_whether_it_is_fewer_or_more_than_in_the_thesis() {
        let quick = conditions("");
        for part in [
            "Figure 6: games 24,000 (more than the thesis' 1,000).",
            "uct:1 480 (fewer than the thesis' 4,000)",
            "uct:10000 24 (not in the thesis)",
            "moves by heuristic, where the thesis has tree search with 1,000 playouts: games of each experiment by rules 6,000 (more than \
             the thesis' 4,000), by playouts 96 (fewer than the thesis' 4,000)",
            "with 100 random playouts at most 1,000 (fewer than the thesis' 338,758)",
            "selfish:10000,rollout=heuristic 24",
            "shuffles the tiles for each game",
        ] {
            assert!(quick.contains(part), "{part}:\n{quick}");
        }
        let thesis = conditions("--budget thesis");
        assert!(
            thesis.contains("moves by uct, as in the thesis: games of each experiment by rules 4,008 (more"),
            "{thesis}"
        );
        let little = conditions("--budget thesis --scale 0.01");
        assert!(little.contains("Figure 6: games 240 (fewer than the thesis' 1,000)."), "{little}");
        assert!(little.contains("by rules 48 (fewer than the thesis' 4,000)"), "{little}");
        // Few games are on fewer maps.
        assert!(little.contains("selfish:10000 4,"), "{little}");
        let nothing = conditions("--scale 0.001");
        assert!(nothing.contains("Against builders (not in the thesis): games nothing"), "{nothing}");
    }
}
