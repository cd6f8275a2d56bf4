//! The switches of a [`Reading`] by name: the only place where names and values are written down. Parsers, printers, help
//! texts and searches go through this table.

use super::reading::{
    Adjacent, CannotGoRight, CountedBySaboteurs, CountedCards, Discard, LeftOfGoals, MapOrder, OfThree, OfTwo, Reading,
    Sideways, Ties,
};

/// A switch of a reading.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Its name.
    pub name: &'static str,
    /// What it decides.
    pub about: &'static str,
    /// The names of its values.
    pub values: &'static [&'static str],
    get: fn(&Reading) -> usize,
    set: fn(&mut Reading, usize),
}

impl Switch {
    /// The switch of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<&'static Self> {
        SWITCHES.iter().find(|switch| switch.name == name)
    }

    /// The number of the value that a reading has.
    #[must_use]
    pub fn get(&self, reading: &Reading) -> usize {
        (self.get)(reading)
    }

    /// The name of the value that a reading has.
    #[must_use]
    pub fn value(&self, reading: &Reading) -> &'static str {
        self.values.get(self.get(reading)).copied().unwrap_or_default()
    }

    /// The reading with the value of this number; the same reading if there is none.
    #[must_use]
    pub fn set(&self, mut reading: Reading, value: usize) -> Reading {
        (self.set)(&mut reading, value);
        reading
    }

    /// The reading with the value of this name.
    #[must_use]
    pub fn set_named(&self, reading: Reading, value: &str) -> Option<Reading> {
        let value = self.values.iter().position(|&name| name == value)?;
        Some(self.set(reading, value))
    }
}

/// The values of a switch, in the order of [`Switch::values`].
trait Values: Copy + PartialEq + 'static {
    const NAMES: &'static [&'static str];
    const ALL: &'static [Self];
}

impl Values for bool {
    const NAMES: &'static [&'static str] = &["no", "yes"];
    const ALL: &'static [Self] = &[false, true];
}

/// Names for the variants of a type. Leaving one out does not compile.
macro_rules! names {
    ($($type:ident: $($variant:ident $name:literal),+;)+) => {$(
        impl Values for $type {
            const NAMES: &'static [&'static str] = &[$($name),+];
            const ALL: &'static [Self] = &[$(Self::$variant),+];
        }

        impl $type {
            /// The name used on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }
    )+};
}

names! {
    CannotGoRight: Kind "kind", Laid "laid";
    LeftOfGoals: Columns "columns", NotBeside "not-beside", Far "far";
    Sideways: Any "any", Through "through", ThroughOrT "through-or-t", Always "always", Never "never";
    Discard: ActionThenBest "action-then-best", ActionThenWorst "action-then-worst", Uniform "uniform", Best "best",
        PathFirst "path-first", First "first";
    OfThree: Middle "middle", Top "top", Between "between", Random "random";
    OfTwo: Midpoint "midpoint", Upper "upper", Random "random";
    MapOrder: Middle "middle", Top "top", Random "random";
    Adjacent: Possible "possible", Provisional "provisional", FaceDown "face-down", Any "any";
    Ties: First "first", Last "last", Random "random";
    CountedCards: None "none", Mean "mean", Sum "sum";
    CountedBySaboteurs: Added "added", Flipped "flipped", LeftOut "left-out";
}

/// The table from a list of fields. Leaving one out does not compile.
macro_rules! switches {
    ($($field:ident: $type:ty, $name:literal, $about:literal;)+) => {
        /// All switches of a reading; the weights of the distances are no switch.
        pub const SWITCHES: &[Switch] = &[$(Switch {
            name: $name,
            about: $about,
            values: <$type as Values>::NAMES,
            get: |reading| <$type as Values>::ALL.iter().position(|value| *value == reading.$field).unwrap_or(0),
            set: |reading, value| {
                if let Some(value) = <$type as Values>::ALL.get(value) {
                    reading.$field = *value;
                }
            },
        }),+];

        const _: fn(Reading) = |Reading { across: _, along: _, $($field: _),+ }| ();
    };
}

switches! {
    cannot_go_right: CannotGoRight, "cannot-go-right",
        "a card cannot go right if its kind never does, or if it does not as it is laid";
    blocked_goes_right: bool, "blocked-goes-right", "a blocked card can go right like an open one";
    left_of_goals: LeftOfGoals, "left-of-goals",
        "left of the goals is every column left of theirs, all but the one beside them, or those three and more away";
    counts_cells_between: bool, "counts-cells-between", "the rules for three columns and more count the cells between";
    off_goal_row: bool, "off-goal-row", "a card is off the row of the provisional goal, not of the start";
    sideways: Sideways, "sideways", "the other cards in hand that make a crossing too good for a far cell";
    discard: Discard, "discard", "the card that is discarded";
    plays_zero: bool, "plays-zero", "a play worth nothing is made";
    of_three: OfThree, "of-three", "the provisional goal while three are possible";
    of_two: OfTwo, "of-two", "the provisional goal while two are possible";
    map_order: MapOrder, "map-order", "the goal that a map is used on";
    shares_maps: bool, "shares-maps", "all know what any of them saw with a map";
    saboteurs_use_maps: bool, "saboteurs-use-maps", "saboteurs use maps";
    adjacent: Adjacent, "adjacent", "the goals that count as adjacent";
    closed_beside_goal: bool, "closed-beside-goal", "a card beside a goal that does not open to it loses points";
    ties: Ties, "ties", "which of equally good plays is chosen";
    rounds_down: bool, "rounds-down", "every quotient is rounded down";
    between_is_125: bool, "between-is-125", "a provisional goal between two goals is worth 125";
    saboteurs_discard: bool, "saboteurs-discard", "saboteurs discard rather than make a play worth less than nothing";
    diggers_discard: bool, "diggers-discard", "diggers discard rather than make a play worth less than nothing";
    saboteurs_place_as_diggers: bool, "saboteurs-place-as-diggers", "a saboteur puts every card where a digger would";
    counted_cards: CountedCards, "counted-cards", "what the cards not yet on the table add (E_card)";
    counted_by_saboteurs: CountedBySaboteurs, "counted-by-saboteurs", "what they are to a saboteur";
    counts_own_hand: bool, "counts-own-hand", "the own hand counts as on the table";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_every_switch_is_set_and_read_back_by_name() {
        let mut readings = std::collections::HashSet::from([Reading::A]);
        for switch in SWITCHES {
            assert_eq!(Switch::from_name(switch.name).map(|found| found.name), Some(switch.name));
            assert!(switch.values.len() >= 2);
            for (number, name) in switch.values.iter().enumerate() {
                let reading = switch.set_named(Reading::A, name).expect("a name of the table");
                assert_eq!((switch.get(&reading), switch.value(&reading)), (number, *name));
                assert_eq!(reading, switch.set(Reading::A, number));
                readings.insert(reading);
                // No other switch is touched.
                let back = switch.set(reading, switch.get(&Reading::A));
                assert_eq!(back, Reading::A);
            }
            assert_eq!(switch.set_named(Reading::A, "no such value"), None);
            assert_eq!(switch.set(Reading::A, switch.values.len()), Reading::A);
        }
        let others: usize = SWITCHES.iter().map(|switch| switch.values.len() - 1).sum();
        assert_eq!(readings.len(), 1 + others, "all of them differ");
        assert!(Switch::from_name("no such switch").is_none());
    }

    #[test]
    fn names_are_those_of_the_values() {
        for switch in SWITCHES {
            for (number, name) in switch.values.iter().enumerate() {
                assert_eq!(switch.values.iter().position(|other| other == name), Some(number), "{}", switch.name);
            }
        }
        assert_eq!(Discard::Uniform.name(), Switch::from_name("discard").expect("a switch").values[2]);
    }
}
