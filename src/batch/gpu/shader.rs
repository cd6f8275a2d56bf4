//! A game's compute shader: the pieces it is made of and what the host must know about it.

use std::fmt::Write;

use fairground_kernels::Ending;

/// Invocations of a workgroup.
pub(super) const WORKGROUP: u32 = 64;

/// Steps a lane plays before it looks whether its playout is over.
///
/// Mesa's software driver goes through the code that starts a playout even if no lane of a vector needs
/// it, and that code is as long as several steps: with 8 instead of 1 it is three times as fast.
const BURST: u32 = 8;

/// Words of every lane that do not depend on the game (ticket, ending, random state, counters).
const LANE_HEADER: usize = 9;

/// Words of an item before its position (see `shaders/playouts.wgsl`).
pub(super) const ITEM_HEADER: usize = 5;

/// Words of a record before the final position.
pub(super) const OUTCOME_WORDS: usize = 4;

const PLAYING: u32 = u32::MAX;
const DRAW: u32 = 254;
const TRUNCATED: u32 = 255;

/// What a game supplies to be played on a GPU.
///
/// `source` defines `begin`, `advance`, `restore`, `suspend` and `write_position` as
/// `shaders/playouts.wgsl` describes them; that file and the shared pieces are added to it.
#[derive(Clone, Debug)]
pub struct Shader {
    /// WGSL source of the game's own part.
    pub source: String,
    /// Words a lane keeps between dispatches.
    pub lane_words: usize,
    /// An upper bound of the loop iterations of one `advance`, summed over all its loops, also those in
    /// branches that exclude each other. A loop that does something n times counts n + 1. It also bounds those of
    /// `write_position` and `begin` together, and those of `restore`.
    ///
    /// Mesa's software driver silently leaves all loops of an invocation after 65,535 iterations. It plays
    /// several lanes in one vector, so that it goes through every branch, and it counts the last look at
    /// each loop's condition. The host plays only as many steps per dispatch as this bound allows.
    pub iterations: u32,
}

impl Shader {
    /// The whole WGSL module, for positions of `position_words` words.
    #[must_use]
    pub fn module(&self, position_words: usize) -> String {
        let mut module = String::new();
        for (name, value) in [
            ("WORKGROUP", WORKGROUP),
            ("BURST", BURST),
            ("POSITION_WORDS", position_words as u32),
            // The lane's first field that belongs to the game.
            ("GAME_FIELD", LANE_HEADER as u32),
            ("PLAYING", PLAYING),
            ("DRAW", DRAW),
            ("TRUNCATED", TRUNCATED),
        ] {
            // Writing to a string cannot fail.
            let _ = writeln!(module, "const {name} = {value}u;");
        }
        module.push_str(include_str!("../../../shaders/rng.wgsl"));
        module.push_str(include_str!("../../../shaders/bits.wgsl"));
        module.push_str(include_str!("../../../shaders/playouts.wgsl"));
        module.push_str(&self.source);
        module
    }

    /// Steps of a lane per dispatch that keep an invocation below `limit` loop iterations; at least one burst.
    #[must_use]
    pub fn steps(&self, limit: u32) -> u32 {
        (limit / self.iterations_of_burst()).saturating_sub(1).clamp(1, MAX_STEPS / BURST) * BURST
    }

    /// An upper bound of the loop iterations of a dispatch with so many steps.
    #[must_use]
    pub const fn iterations_of(&self, steps: u32) -> u32 {
        (steps / BURST + 1) * self.iterations_of_burst()
    }

    const fn iterations_of_burst(&self) -> u32 {
        1 + (BURST + 1) * (1 + self.iterations)
    }

    /// Words of a lane.
    pub(super) const fn all_lane_words(&self) -> usize {
        LANE_HEADER + self.lane_words
    }
}

/// More steps per dispatch gain nothing, and a dispatch must not look like a hanging device.
const MAX_STEPS: u32 = 256;

/// The ending a shader wrote, or `None` if it wrote none.
pub(super) fn ending(word: u32) -> Option<Ending> {
    match word {
        DRAW => Some(Ending::Draw),
        TRUNCATED => Some(Ending::Truncated),
        _ => u8::try_from(word).ok().map(Ending::Win),
    }
}
