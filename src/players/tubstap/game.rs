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
    players: [&mut dyn Player<Tubstap, D>; 2],
    draws: &mut D,
) -> Result<Played, Refused> {
    let mut game = Ongoing::new(start);
    while let Some(team) = game.to_move() {
        let action = players[team.index()].next_action(game.position(), draws);
        game.act(action)?;
    }
    Ok(game.finish(draws.draws()))
}

/// A game that goes on as its players give their actions.
#[derive(Clone, Debug)]
pub struct Ongoing {
    game: Played,
    /// Whether it is over; its ending is known then.
    is_over: bool,
}

impl Ongoing {
    /// A game at its start.
    #[must_use]
    pub fn new(start: &Position) -> Self {
        let outcome = Outcome { ending: Ending::Truncated, phases: 0, actions: 0, draws: 0 };
        let mut game = Self { game: Played { outcome, end: *start, steps: Vec::new(), jumps: 0 }, is_over: false };
        if start.turn >= start.limit {
            game.judge();
        }
        game.end_phases();
        game
    }

    /// The position.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.game.end
    }

    /// Whose player has to act; nobody's once the game is over.
    #[must_use]
    pub fn to_move(&self) -> Option<Team> {
        (!self.is_over).then_some(self.game.end.mover)
    }

    /// Plays an action of the side to move, or lets its other units stay where they are.
    ///
    /// # Errors
    /// If the action is illegal.
    pub fn act(&mut self, action: Option<Action>) -> Result<(), Refused> {
        match action {
            Some(action) => self.game.act(action)?,
            None => self.game.stay()?,
        }
        self.end_phases();
        Ok(())
    }

    /// Ends phases in which nobody can act any more.
    fn end_phases(&mut self) {
        while !self.is_over && (self.game.end.own().unacted() == 0 || self.game.end.enemy().is_dead()) {
            self.game.end.end_phase();
            self.game.outcome.phases += 1;
            self.judge();
            self.is_over |= self.game.outcome.phases >= PHASE_CAP;
        }
    }

    fn judge(&mut self) {
        if let Some(verdict) = self.game.end.verdict() {
            self.game.outcome.ending = verdict.into();
            self.is_over = true;
        }
    }

    /// The game as far as it was played, with this number of draws.
    #[must_use]
    pub fn finish(mut self, draws: u32) -> Played {
        self.game.outcome.draws = draws;
        self.game
    }
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
