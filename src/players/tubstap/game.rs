//! Whole games between two players.

use fairground_kernels::bits::bits;
use fairground_kernels::rng::{Draws, Rng};
use fairground_kernels::tubstap::PHASE_CAP;
use fairground_kernels::{Ending, Outcome};

use crate::games::tubstap::record::Step;
use crate::games::tubstap::rules::{Action, IllegalAction};
use crate::games::tubstap::{Position, Team, Tubstap};
use crate::players::Player;

/// A game that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Who won, and how long it took.
    pub outcome: Outcome,
    /// The position at the end.
    pub end: Position,
    /// Every action, in order.
    pub steps: Vec<Step>,
    /// How many actions were against the rules but passed the original's legality test, so that they were played. Only
    /// MSSystem makes them, and rarely.
    pub jumps: u32,
}

/// A player made an action that even the original would not let pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{team:?} made an illegal action in phase {turn}: {reason}")]
pub struct Refused {
    /// Whose action it was.
    pub team: Team,
    /// The phase.
    pub turn: u32,
    /// What is wrong with it.
    pub reason: IllegalAction,
}

/// Plays game number `number` of a run from `start`. Red's player comes first.
///
/// Everything random in it depends on the seed, the position and the number, so that games can be played in any order.
///
/// ```
/// use fairground::games::tubstap::builtin;
/// use fairground::players::tubstap::game;
/// use fairground::players::tubstap::reference::{MaxAct, Random};
///
/// let map = builtin::get("skirmish-5x5").unwrap();
/// let played = game::play_numbered(&map.start(), [&mut MaxAct, &mut Random], 1, 0)?;
/// assert_eq!(played.steps.len() as u32, played.outcome.actions);
/// # Ok::<(), game::Refused>(())
/// ```
///
/// # Errors
/// If a player makes an illegal action.
pub fn play_numbered(
    start: &Position,
    players: [&mut dyn Player<Tubstap, Rng>; 2],
    seed: u64,
    number: u64,
) -> Result<Played, Refused> {
    play(start, players, &mut Rng::for_playout(seed, start.key(), number))
}

/// Plays a game with the given random numbers. Red's player comes first.
///
/// A player who ends the turn early lets the other units stay where they are. A game of 1000 phases is cut off, like a
/// playout.
///
/// # Errors
/// If a player makes an illegal action.
pub fn play<D: Draws>(
    start: &Position,
    mut players: [&mut dyn Player<Tubstap, D>; 2],
    draws: &mut D,
) -> Result<Played, Refused> {
    let outcome = Outcome { ending: Ending::Truncated, phases: 0, actions: 0, draws: 0 };
    let mut game = Played { outcome, end: *start, steps: Vec::new(), jumps: 0 };
    let mut verdict = if start.turn >= start.limit { start.verdict() } else { None };
    while verdict.is_none() && game.outcome.phases < PHASE_CAP {
        while game.end.own().unacted() != 0 && !game.end.enemy().is_dead() {
            let player = &mut players[game.end.mover.index()];
            match player.next_action(&game.end, draws) {
                Some(action) => game.act(action)?,
                None => game.stay()?,
            }
        }
        game.end.end_phase();
        game.outcome.phases += 1;
        verdict = game.end.verdict();
    }
    game.outcome.ending = verdict.map_or(Ending::Truncated, Ending::from);
    game.outcome.draws = draws.draws();
    Ok(game)
}

impl Played {
    fn act(&mut self, action: Action) -> Result<(), Refused> {
        let position = &mut self.end;
        let (turn, team) = (position.turn, position.mover);
        if let Err(reason) = position.check(action) {
            if !position.passes_lax_test(action) {
                return Err(Refused { team, turn, reason });
            }
            self.jumps += 1;
        }
        let from = position.own().unit(action.unit).map_or(action.to, |unit| unit.cell);
        let target_cell = action.target.and_then(|target| position.enemy().unit(target)).map(|unit| unit.cell);
        let combat = position.act(action);
        self.steps.push(Step { turn, team, from, action, target_cell, combat });
        self.outcome.actions += 1;
        Ok(())
    }

    /// Lets the units that have not acted stay where they are.
    fn stay(&mut self) -> Result<(), Refused> {
        let own = *self.end.own();
        for unit in bits(own.unacted().into()).map(|number| number as usize) {
            if let Some(&stand) = own.unit(unit) {
                self.act(Action { unit, to: stand.cell, target: None })?;
            }
        }
        Ok(())
    }
}
