//! MilitaryStaffSystem with its playouts in batches: the decisions of [the reference](super::reference::mss), and none of
//! the playouts that cannot change them.

use fairground_kernels::bits::bits;
use fairground_kernels::rng::Rng;

use super::reference::mss::{
    CANDIDATES, PLANS, PLAYOUTS, Planned, Ranking, candidate, known_value, options, stays, value,
};
use crate::batch::Tally;
use crate::games::tubstap::rules::Action;
use crate::games::tubstap::{Policy, Position, Tubstap};
use crate::players::thinking::{Question, Stream, Thinker, Thought};
use crate::stats;

/// What the player spends on a plan. It makes two of them for every phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Playouts of every action and of every candidate.
    pub playouts: u32,
    /// Candidates of a plan.
    pub candidates: u32,
}

impl Default for Effort {
    /// That of the reference.
    fn default() -> Self {
        Self { playouts: PLAYOUTS, candidates: CANDIDATES as u32 }
    }
}

/// The player.
#[derive(Clone, Debug, Default)]
pub struct Mss {
    effort: Effort,
    planned: Planned,
    stage: Stage,
    /// Candidates of all plans so far: the playouts of each have random numbers of their own.
    candidates: u64,
}

/// A unit and its actions, with the values that are known without playouts.
type Valued = (usize, Vec<(Action, Option<f64>)>);

/// What the player waits for.
#[derive(Clone, Debug, Default)]
enum Stage {
    /// Nothing.
    #[default]
    Ready,
    /// The values of the actions of all units.
    Values { plan: usize, assumed: Vec<Action>, units: Vec<Valued> },
    /// The best candidate.
    Race { plan: usize, race: Race },
}

/// Candidates of which one will have won most playouts, the first of equals. Those that cannot be the one any more are
/// played no further.
#[derive(Clone, Debug)]
struct Race {
    runners: Vec<Runner>,
    /// Playouts of each.
    playouts: u64,
    /// Those who were asked about last.
    asked: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Runner {
    actions: Vec<Action>,
    end: Position,
    stream: u64,
    wins: u64,
    played: u64,
}

/// Playouts of all candidates before the first look at them, and of those who are left between later ones.
const LAP: u64 = 20;
/// So many of the best after the first lap are played to the end before the others go on: they set the mark.
const LEADERS: usize = 4;

impl Race {
    /// What a runner will have won at most.
    const fn most(&self, runner: &Runner) -> u64 {
        runner.wins + self.playouts - runner.played
    }

    /// Who leads: most wins, the first of equals.
    fn leader(&self) -> Option<(usize, &Runner)> {
        self.runners.iter().enumerate().rev().max_by_key(|(_, runner)| runner.wins)
    }

    /// Those who may still win, and have playouts left.
    fn running(&self) -> Vec<usize> {
        let Some((leader, mark)) = self.leader() else { return Vec::new() };
        let can_win = |&(index, runner): &(usize, &Runner)| {
            let most = self.most(runner);
            index == leader || most > mark.wins || most == mark.wins && index < leader
        };
        let running = self.runners.iter().enumerate().filter(can_win);
        running.filter(|(_, runner)| runner.played < self.playouts).map(|(index, _)| index).collect()
    }

    /// Takes in the wins of those who were asked about, and asks again; nothing if it is decided.
    fn go_on(&mut self, wins: impl Iterator<Item = u64>) -> Vec<Question<Tubstap>> {
        for (&index, wins) in self.asked.iter().zip(wins) {
            self.runners[index].wins += wins;
        }
        let mut running = self.running();
        let lap = LAP.min(self.playouts);
        let is_first_look = self.runners.iter().all(|runner| runner.played == lap);
        let lap = if is_first_look {
            running.sort_by_key(|&index| std::cmp::Reverse(self.runners[index].wins));
            running.truncate(LEADERS);
            self.playouts
        } else {
            lap
        };
        self.asked = running;
        let mut questions = Vec::with_capacity(self.asked.len());
        for &index in &self.asked {
            let runner = &mut self.runners[index];
            let first = runner.played;
            runner.played = (first + lap).min(self.playouts);
            questions.push(Question {
                position: runner.end,
                policy: Policy::Mss,
                playouts: runner.played - first,
                stream: Stream::Part { number: runner.stream, first },
            });
        }
        questions
    }
}

impl Mss {
    /// A player who spends so much.
    #[must_use]
    pub fn new(effort: Effort) -> Self {
        Self { effort, ..Self::default() }
    }

    /// Asks for the values of all actions if the units do what is assumed.
    fn ask_values(&mut self, position: &Position, plan: usize, assumed: Vec<Action>) -> Vec<Question<Tubstap>> {
        let mut questions = Vec::new();
        let mut units = Vec::new();
        for unit in bits(position.own().unacted().into()).map(|number| number as usize) {
            let mut actions = Vec::new();
            for (action, seen) in options(position, &assumed, unit) {
                let known = known_value(action, &seen);
                if known.is_none() {
                    let (policy, playouts) = (Policy::Mss, self.effort.playouts.into());
                    questions.push(Question { position: seen, policy, playouts, stream: Stream::Own });
                }
                actions.push((action, known));
            }
            units.push((unit, actions));
        }
        self.stage = Stage::Values { plan, assumed, units };
        questions
    }

    /// Candidates for a plan, none of which has been played yet.
    fn race(&mut self, position: &Position, before: &[Action], rankings: &[Ranking], rng: &mut Rng) -> Race {
        let Effort { playouts, candidates } = self.effort;
        let mut runners = Vec::with_capacity(candidates as usize);
        for number in 0..candidates as usize {
            let (actions, end) = candidate(position, before, rankings, number, rng);
            runners.push(Runner { actions, end, stream: self.candidates, wins: 0, played: 0 });
            self.candidates += 1;
        }
        Race { runners, playouts: playouts.into(), asked: Vec::new() }
    }
}

impl Thinker<Tubstap> for Mss {
    fn think(&mut self, position: &Position, answers: &[Tally], rng: &mut Rng) -> Thought<Tubstap> {
        let own = position.mover.index();
        let mut answers = answers.iter();
        loop {
            let questions = match std::mem::take(&mut self.stage) {
                Stage::Ready => {
                    if position.own().unacted() == 0 {
                        return Thought::Act(None);
                    }
                    if self.planned.foresees(position) {
                        return Thought::Act(self.planned.next_action());
                    }
                    self.ask_values(position, 0, stays(position))
                }
                Stage::Values { plan, assumed, units } => {
                    let mut rankings = Vec::with_capacity(units.len());
                    for (unit, actions) in units {
                        let mut rate =
                            || answers.next().map_or(0.0, |tally| stats::rate(tally.wins[own], tally.playouts));
                        let valued = actions
                            .into_iter()
                            .map(|(action, known)| (action, known.unwrap_or_else(|| value(action, rate()))));
                        rankings.push(Ranking::new(unit, valued.collect()));
                    }
                    let before = if plan == 0 { &[][..] } else { &assumed };
                    let mut race = self.race(position, before, &rankings, rng);
                    let questions = race.go_on(std::iter::empty());
                    self.stage = Stage::Race { plan, race };
                    questions
                }
                Stage::Race { plan, mut race } => {
                    let questions = race.go_on(answers.by_ref().map(|tally| tally.wins[own]));
                    if questions.is_empty() {
                        let best = race.leader().map_or_else(Vec::new, |(_, leader)| leader.actions.clone());
                        if plan + 1 == PLANS {
                            self.planned = Planned::new(position, best);
                            return Thought::Act(self.planned.next_action());
                        }
                        self.ask_values(position, plan + 1, best)
                    } else {
                        self.stage = Stage::Race { plan, race };
                        questions
                    }
                }
            };
            if !questions.is_empty() {
                return Thought::Ask(questions);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fairground_kernels::rng::Draws;

    use super::*;
    use crate::games::tubstap::builtin;

    /// A race between runners who win each playout with a probability of so many in 256, and how it would end.
    fn run(chances: &[u32], rng: &mut Rng) -> (Race, usize, u64) {
        let end = builtin::get("duel-6x6").expect("a built-in map").start();
        let runner = |stream| Runner { actions: Vec::new(), end, stream, wins: 0, played: 0 };
        let mut race = Race {
            runners: (0..chances.len() as u64).map(runner).collect(),
            playouts: PLAYOUTS.into(),
            asked: Vec::new(),
        };
        let wins: Vec<Vec<u64>> =
            chances.iter().map(|&chance| (0..PLAYOUTS).map(|_| u64::from(rng.below(256) < chance)).collect()).collect();
        let mut playouts = 0;
        let mut answers = Vec::new();
        loop {
            let questions = race.go_on(answers.drain(..));
            if questions.is_empty() {
                break;
            }
            for question in questions {
                let Stream::Part { number, first } = question.stream else { panic!("no part of a stream") };
                let part = &wins[number as usize][first as usize..][..question.playouts as usize];
                answers.push(part.iter().sum::<u64>());
                playouts += question.playouts;
            }
        }
        let totals: Vec<u64> = wins.iter().map(|wins| wins.iter().sum()).collect();
        let most = totals.iter().max().copied().unwrap_or(0);
        let winner = totals.iter().position(|&total| total == most).unwrap_or(0);
        assert_eq!(race.leader().map(|(index, runner)| (index, runner.wins)), Some((winner, most)), "{totals:?}");
        (race, winner, playouts)
    }

    #[test]
    fn a_race_is_won_by_the_first_with_the_most_wins_of_all_playouts() {
        let mut rng = Rng::for_playout(1, 2, 3);
        let (mut ties, mut saved) = (0, 0);
        for case in 0..3000 {
            let base = rng.below(257);
            let spread = rng.below(64);
            let number = if case % 10 == 0 { 1 + rng.below(5) as usize } else { CANDIDATES };
            let chances: Vec<u32> =
                (0..number).map(|_| (base + rng.below(2 * spread + 1)).saturating_sub(spread).min(256)).collect();
            let (race, winner, playouts) = run(&chances, &mut rng);
            let best = race.runners[winner].wins;
            ties += u32::from(race.runners.iter().filter(|runner| runner.wins == best).count() > 1);
            saved += u32::from(playouts < number as u64 * u64::from(PLAYOUTS));
        }
        assert!(ties > 300 && saved > 1000, "{ties} ties, {saved} races with playouts saved");
    }
}
