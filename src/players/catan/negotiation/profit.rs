//! What a trade is worth to both sides: the value of the game with it less the value without it.

use fairground_kernels::catan::Cards;
use fairground_kernels::catan::tables::{CITY_COST, ROAD_COST, SETTLEMENT_COST};

use crate::batch::Tally;
use crate::games::catan::{Action, Catan, Chance, Offer, Phase, Policy, Position, Strategy};
use crate::players::catan::uct::reward;
use crate::players::thinking::{Question, Stream};

/// What a trade is worth, as one of its two sides sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profit {
    /// To oneself.
    pub own: f64,
    /// To the other side.
    pub partner: f64,
    /// What the game is worth to oneself without the trade.
    pub before: f64,
}

impl Profit {
    /// From values without the trade and with it, one's own first.
    #[must_use]
    pub fn between(before: [f64; 2], after: [f64; 2]) -> Self {
        Self { own: after[0] - before[0], partner: after[1] - before[1], before: before[0] }
    }
}

/// The seats of a trade as one of them sees it: itself, then its partner.
#[must_use]
pub const fn sides(position: &Position, offer: &Offer, seat: u8) -> [u8; 2] {
    if seat == position.mover { [seat, offer.to] } else { [seat, position.mover] }
}

/// The position once the trade is done, or refused. An offer that waits for an answer gets it.
#[must_use]
pub fn settled(position: &Position, offer: &Offer, is_done: bool) -> Position {
    let mut settled = *position;
    if position.phase == Phase::Answer {
        settled.act(Action::Answer(is_done), Chance::None);
    } else if is_done {
        // A trade that is not possible changes nothing.
        let _ = settled.exchange(position.mover, offer.gives, offer.to, offer.wants);
    }
    settled
}

/// How the points for what a hand can pay for become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bonus {
    /// They add up; each is for the whole hand.
    Sum,
    /// The highest counts.
    Max,
}

/// How the value with the trade looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// As it is.
    Sober,
    /// A tenth more.
    Optimistic,
    /// A tenth less.
    Pessimistic,
}

impl Outlook {
    /// How a value looks. A factor makes what is below 0 look worse to optimists; by a tenth of the value's size
    /// everything looks better to them.
    fn of(self, value: f64, is_by_size: bool) -> f64 {
        let is_turned = is_by_size && value < 0.0;
        let factor = match (self, is_turned) {
            (Self::Sober, _) => 1.0,
            (Self::Optimistic, false) | (Self::Pessimistic, true) => 1.1,
            (Self::Optimistic, true) | (Self::Pessimistic, false) => 0.9,
        };
        factor * value
    }
}

/// Points for what a hand can pay for, and for being ahead of the partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How the points for the hand become one number.
    pub bonus: Bonus,
    /// Whether one's own victory points less the partner's count for a trade.
    pub has_score: bool,
    /// How the value with the trade looks.
    pub outlook: Outlook,
    /// Whether the tenth of an outlook is one of the value's size, and not a factor, as it is in the thesis.
    pub is_by_size: bool,
}

impl Rules {
    /// The thesis' rules.
    pub const USUAL: Self = Self { bonus: Bonus::Sum, has_score: true, outlook: Outlook::Sober, is_by_size: false };
}

impl Default for Rules {
    fn default() -> Self {
        Self::USUAL
    }
}

/// What can be paid for, and its points.
const GOODS: [(Cards, f64); 3] =
    [(Cards::new(ROAD_COST), 3.0), (Cards::new(SETTLEMENT_COST), 10.0), (Cards::new(CITY_COST), 15.0)];

impl Rules {
    /// The points of a hand. Pieces that are left and places to build do not matter.
    #[must_use]
    pub fn points(&self, hand: Cards) -> f64 {
        let points = GOODS.iter().filter(|(cost, _)| hand.covers(*cost)).map(|(_, points)| *points);
        match self.bonus {
            Bonus::Sum => points.sum(),
            Bonus::Max => points.fold(0.0, f64::max),
        }
    }

    /// What a trade is worth, as a seat sees it. Victory points are those everybody sees.
    #[must_use]
    pub fn profit(&self, position: &Position, offer: &Offer, seat: u8) -> Profit {
        let sides = sides(position, offer, seat);
        let scores = sides.map(|seat| f64::from(position.public_points(seat)));
        let lead = if self.has_score { scores[0] - scores[1] } else { 0.0 };
        let hands = |position: &Position| sides.map(|seat| self.points(position.players[usize::from(seat)].hand));
        let [own, partner] = hands(&settled(position, offer, true));
        Profit::between(
            hands(position),
            [own + lead, partner - lead].map(|value| self.outlook.of(value, self.is_by_size)),
        )
    }
}

/// Win rates of playouts with the trade and without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playouts {
    /// Playouts of every trade, and as many without one.
    pub number: u32,
    /// How they are played.
    pub rollout: Strategy,
    /// Whether playouts with and without a trade share their random numbers.
    pub is_common: bool,
}

impl Playouts {
    /// So many random playouts with common random numbers.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self { number, rollout: Strategy::Random, is_common: true }
    }

    /// The playouts without a trade, then with each of them. `stream` is a number that the player gives to nothing else.
    #[must_use]
    pub fn questions(&self, position: &Position, offers: &[Offer], stream: u64) -> Vec<Question<Catan>> {
        let stream = if self.is_common { Stream::Part { number: stream, first: 0 } } else { Stream::Own };
        let question =
            |position| Question { position, policy: Policy::all(self.rollout), playouts: self.number.into(), stream };
        let without = offers.first().map(|offer| settled(position, offer, false));
        without.into_iter().chain(offers.iter().map(|offer| settled(position, offer, true))).map(question).collect()
    }

    /// What the answers to these questions say of every trade, as a seat sees it.
    #[must_use]
    pub fn profits(position: &Position, offers: &[Offer], seat: u8, answers: &[Tally]) -> Vec<Profit> {
        let Some((without, with)) = answers.split_first() else { return Vec::new() };
        let profit = |(offer, with): (&Offer, &Tally)| {
            let sides = sides(position, offer, seat).map(usize::from);
            Profit::between(sides.map(|seat| reward(without, seat)), sides.map(|seat| reward(with, seat)))
        };
        offers.iter().zip(with).map(profit).collect()
    }
}

/// How profits are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimator {
    /// By rules.
    Rules(Rules),
    /// By playouts.
    Playouts(Playouts),
}

impl Default for Estimator {
    fn default() -> Self {
        Self::Rules(Rules::default())
    }
}
