//! The driver.

use super::Policy;
use super::packed::Packed;
use crate::level::SimdLevel;
use crate::queue::Queue;

/// Plays all playouts of the queue in lockstep at this SIMD level, which the CPU must have.
pub fn play_lockstep<const IS_WHOLE: bool>(_level: SimdLevel, _policy: Policy, _queue: &mut Queue<'_, Packed>) {}
