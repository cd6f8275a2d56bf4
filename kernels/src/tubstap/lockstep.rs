//! The SIMD kernel.

use super::{Packed, Policy};
use crate::{Queue, SimdLevel};

/// Plays all playouts of the queue in lockstep.
pub fn play_lockstep(_level: SimdLevel, _policy: Policy, _queue: &mut Queue<'_, Packed>) {}
