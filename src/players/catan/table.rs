//! A game of Catan between four thinkers.

use fairground_kernels::rng::{Draws, Rng, absorb};
use fairground_kernels::{Ending, Outcome};

use super::negotiation::offers::is_open;
use crate::batch::Tally;
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Action, Catan, IllegalAction, Phase, Position};
use crate::players::thinking::{Question, Stream, Table, Thinker, Thought};

/// A game that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Who won, and how long it took: turns, and actions as playouts count them.
    pub outcome: Outcome,
    /// The position at the end.
    pub end: Position,
    /// How often the robber went to a player without cards though another could have been robbed, or stayed. Only
    /// `random-s` does so, as SmartSettlers allows.
    pub lax_robberies: u32,
    /// What came of trade between players, by seat.
    pub trade: [Trade; SEATS],
    /// If they were [kept](Seats::keeping_moments), the positions of all turns in which trades could first be proposed.
    pub moments: Vec<Position>,
}

/// How often a player traded with others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trade {
    /// Proposals of the player.
    pub made: u32,
    /// Those that were accepted.
    pub succeeded: u32,
    /// Proposals of others to the player.
    pub received: u32,
    /// Those that the player accepted.
    pub accepted: u32,
}

/// A player made an action that the rules do not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("seat {} made an illegal action in turn {turn}, {action:?}: {reason}", seat + 1)]
pub struct Refused {
    /// Who, counting from 0.
    pub seat: u8,
    /// The turn.
    pub turn: u32,
    /// What.
    pub action: Action,
    /// What is wrong with it.
    pub reason: IllegalAction,
}

/// A game in progress.
///
/// What chance decides is drawn from the same generator as what the players choose, so that a game of players who decide
/// as in a playout is that playout, draw by draw.
pub struct Seats {
    position: Position,
    players: [Box<dyn Thinker<Catan>>; SEATS],
    turn_cap: u32,
    start: u32,
    actions: u32,
    lax_robberies: u32,
    trade: [Trade; SEATS],
    /// The positions after the dice, if they are kept.
    moments: Option<Vec<Position>>,
    key: u64,
    rng: Rng,
    refused: Option<Refused>,
}

impl Seats {
    /// Game number `number` of a run from `start`, cut off after so many turns.
    #[must_use]
    pub fn new(
        start: &Position,
        players: [Box<dyn Thinker<Catan>>; SEATS],
        turn_cap: u32,
        seed: u64,
        number: u64,
    ) -> Self {
        let key = start.key();
        Self {
            position: *start,
            players,
            turn_cap,
            start: start.turn,
            actions: 0,
            lax_robberies: 0,
            trade: [Trade::default(); SEATS],
            moments: None,
            key: absorb(key, number),
            rng: Rng::for_playout(seed, key, number),
            refused: None,
        }
    }

    /// Keeps the positions in which trades can first be proposed, turn by turn.
    #[must_use]
    pub fn keeping_moments(self) -> Self {
        Self { moments: Some(Vec::new()), ..self }
    }

    /// The game once it is over.
    ///
    /// # Errors
    /// If a player made an illegal action.
    pub fn finish(self) -> Result<Played, Refused> {
        let ending = self.position.winner().map_or(Ending::Truncated, Ending::Win);
        let outcome = Outcome { ending, phases: self.turns(), actions: self.actions, draws: self.rng.draws() };
        let Self { position: end, lax_robberies, trade, moments, refused, .. } = self;
        let moments = moments.unwrap_or_default();
        refused.map_or(Ok(Played { outcome, end, lax_robberies, trade, moments }), Err)
    }

    /// Turns played.
    const fn turns(&self) -> u32 {
        self.position.turn.wrapping_sub(self.start)
    }

    fn is_over(&self) -> bool {
        let is_placing = matches!(self.position.phase, Phase::SetUpSettlement | Phase::SetUpRoad | Phase::FreeRoads);
        // Only a set-up made by hand can be without a place.
        let is_stuck = is_placing && self.position.choices().is_empty();
        self.refused.is_some() || self.position.winner().is_some() || self.turns() >= self.turn_cap || is_stuck
    }

    /// Plays an action of whoever has to decide.
    fn act(&mut self, seat: u8, action: Action) {
        match self.position.check(action) {
            Ok(()) => {}
            Err(IllegalAction::BadVictim | IllegalAction::RobberStays)
                if matches!(action, Action::MoveRobber { victim: None, .. }) =>
            {
                self.lax_robberies += 1;
            }
            Err(reason) => {
                self.refused = Some(Refused { seat, turn: self.position.turn, action, reason });
                return;
            }
        }
        self.count_trade(action);
        let chance = self.position.sample(action, &mut self.rng);
        self.position.act(action, chance);
        // All discards of a seat are one action.
        let is_part = matches!(action, Action::Discard { seat, .. } if self.position.owed[usize::from(seat)] > 0);
        self.actions += u32::from(!is_part);
    }
}

impl Seats {
    /// Counts an action that is about to be played, as far as trade is concerned.
    fn count_trade(&mut self, action: Action) {
        let mover = &mut self.trade[usize::from(self.position.mover) % SEATS];
        match (action, self.position.offer) {
            (Action::Offer(offer), _) => {
                mover.made += 1;
                self.trade[usize::from(offer.to) % SEATS].received += 1;
            }
            (Action::Answer(true), Some(offer)) => {
                mover.succeeded += 1;
                self.trade[usize::from(offer.to) % SEATS].accepted += 1;
            }
            _ => {}
        }
    }
}

impl Table<Catan> for Seats {
    fn key(&self) -> u64 {
        self.key
    }

    fn go_on(&mut self, answers: &[Tally]) -> Vec<Question<Catan>> {
        let mut answers = answers;
        while !self.is_over() {
            if let Some(moments) = self.moments.as_mut().filter(|_| is_open(&self.position))
                && moments.last().is_none_or(|last| last.turn != self.position.turn)
            {
                moments.push(self.position);
            }
            let seat = self.position.decider();
            match self.players[usize::from(seat)].think(&self.position, answers, &mut self.rng) {
                Thought::Ask(mut questions) if !questions.is_empty() => {
                    // What a player numbers is its own.
                    for question in &mut questions {
                        if let Stream::Part { number, .. } = &mut question.stream {
                            *number = absorb(seat.into(), *number);
                        }
                    }
                    return questions;
                }
                Thought::Ask(_) => {}
                Thought::Act(action) => self.act(seat, action.unwrap_or(Action::EndTurn)),
            }
            answers = &[];
        }
        Vec::new()
    }
}
