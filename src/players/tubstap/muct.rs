//! M-UCT with its rollouts in batches: the tree of [the reference](super::reference::muct), one question a simulation.

use fairground_kernels::Ending;
use fairground_kernels::rng::Rng;

use super::reference::muct::{Options, Search};
use crate::batch::Tally;
use crate::games::tubstap::{Policy, Position, Tubstap};
use crate::players::thinking::{Question, Thinker, Thought};

/// The player: a new search for every unit action.
#[derive(Clone, Debug, Default)]
pub struct Muct {
    options: Options,
    search: Option<Search>,
    /// Rollouts of the searches before this one.
    before: u64,
}

impl Muct {
    /// A player that searches like this.
    #[must_use]
    pub const fn new(options: Options) -> Self {
        Self { options, search: None, before: 0 }
    }
}

/// How a single playout ended.
fn ending(tally: &Tally) -> Ending {
    match tally.wins.iter().position(|&wins| wins > 0) {
        Some(seat) => Ending::Win(seat as u8),
        None if tally.draws > 0 => Ending::Draw,
        None => Ending::Truncated,
    }
}

impl Thinker<Tubstap> for Muct {
    fn think(&mut self, position: &Position, answers: &[Tally], _: &mut Rng) -> Thought<Tubstap> {
        let options = &self.options;
        let search = self.search.get_or_insert_with(|| Search::new(position, options.clone()));
        if let [tally] = answers {
            search.back_up(search.reward(ending(tally)));
        }
        if search.total() < self.options.simulations.into()
            && let Some(leaf) = search.descend()
        {
            // Rollouts of a group share their random numbers; groups of different searches do not.
            let group = self.before + search.total() / u64::from(self.options.seed_group.max(1));
            return Thought::Ask(vec![Question {
                position: leaf,
                policy: Policy::Muct,
                playouts: 1,
                stream: Some(group),
            }]);
        }
        let best = search.best();
        self.before += search.total();
        self.search = None;
        Thought::Act(best)
    }
}
