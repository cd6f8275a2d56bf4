//! Which trade is proposed, and which is accepted.

use fairground_kernels::rng::Draws;

use super::profit::Profit;

/// What a proposer makes as large as possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    /// One's own profit.
    Selfish,
    /// One's own profit, where the partner does not lose.
    ProfitFirst,
    /// The partner's profit, where one gains oneself.
    AcceptFirst,
    /// The sum of both, where one gains oneself.
    Sum,
    /// The product of both, where both gain.
    Product,
}

impl Function {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Selfish, Self::ProfitFirst, Self::AcceptFirst, Self::Sum, Self::Product];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Selfish => "selfish",
            Self::ProfitFirst => "profit-first",
            Self::AcceptFirst => "accept-first",
            Self::Sum => "sum",
            Self::Product => "product",
        }
    }

    /// The usual reading of its condition: where the thesis' text and its equations differ, the text; but profit-first
    /// also proposes where the partner's profit is 0, as its equation says.
    #[must_use]
    pub const fn usual_condition(self) -> Condition {
        match self {
            Self::ProfitFirst => Condition::Equation,
            _ => Condition::Text,
        }
    }

    /// The value of a trade; none if its condition is not met.
    #[must_use]
    pub fn value(self, condition: Condition, profit: &Profit) -> Option<f64> {
        let Profit { own, partner, .. } = *profit;
        let is_met = match (self, condition) {
            (Self::Selfish, _) | (Self::Sum | Self::Product, Condition::Equation) => true,
            (Self::ProfitFirst, Condition::Text) | (Self::AcceptFirst, Condition::Equation) => partner > 0.0,
            (Self::ProfitFirst, Condition::Equation) => partner >= 0.0,
            (Self::AcceptFirst | Self::Sum, Condition::Text) => own > 0.0,
            (Self::Product, Condition::Text) => own > 0.0 && partner > 0.0,
        };
        let value = match self {
            Self::Selfish | Self::ProfitFirst => own,
            Self::AcceptFirst => partner,
            Self::Sum => own + partner,
            Self::Product => own * partner,
        };
        is_met.then_some(value)
    }
}

/// Where the condition of a function is taken from: the thesis says it twice, and not always the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// From its text.
    Text,
    /// From its equations: `Rb >= 0` for profit-first, `Rb > 0` for accept-first, none for sum and product.
    Equation,
}

/// The trades with the highest value above that of no trade, 0.
#[must_use]
pub fn best(function: Function, condition: Condition, profits: &[Profit]) -> Vec<usize> {
    let values: Vec<_> = profits.iter().map(|profit| function.value(condition, profit)).collect();
    let highest = values.iter().flatten().copied().fold(0.0, f64::max);
    let is_best = |&index: &usize| values[index] == Some(highest);
    if highest > 0.0 { (0..profits.len()).filter(is_best).collect() } else { Vec::new() }
}

/// One of them: a draw if there are several.
pub fn draw<D: Draws>(best: &[usize], draws: &mut D) -> Option<usize> {
    match *best {
        [] => None,
        [one] => Some(one),
        _ => Some(best[draws.below(best.len() as u32) as usize]),
    }
}

/// What trades are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// None.
    Never,
    /// All.
    Always,
    /// Every other one, at random.
    Coin,
    /// Those with a profit of one's own.
    Positive,
    /// Those that lose up to a tenth of the value without them.
    Optimistic,
    /// Those that gain more than a tenth of the value without them.
    Pessimistic,
    /// Those that the function one proposes by values above 0.
    Own,
}

/// The share of the value without a trade that optimists give away, and pessimists ask for.
const MARGIN: f64 = 0.1;

impl Answers {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::Never, "never"),
        (Self::Always, "always"),
        (Self::Coin, "coin"),
        (Self::Positive, "positive"),
        (Self::Optimistic, "optimistic"),
        (Self::Pessimistic, "pessimistic"),
        (Self::Own, "own"),
    ];

    /// Whether the profit matters.
    #[must_use]
    pub const fn is_by_profit(self) -> bool {
        !matches!(self, Self::Never | Self::Always | Self::Coin)
    }

    /// Whether a trade with this profit is accepted by who proposes by that function.
    #[must_use]
    pub fn accepts(self, function: Option<(Function, Condition)>, profit: &Profit) -> bool {
        let Profit { own, before, .. } = *profit;
        match self {
            Self::Never | Self::Coin => false,
            Self::Always => true,
            Self::Positive => own > 0.0,
            Self::Optimistic => own >= -MARGIN * before,
            Self::Pessimistic => own > MARGIN * before,
            Self::Own => match function {
                Some((function, condition)) => function.value(condition, profit).is_some_and(|value| value > 0.0),
                None => own > 0.0,
            },
        }
    }
}
