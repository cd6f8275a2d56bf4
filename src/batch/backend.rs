//! Which backend plays: the rules engine, the SIMD kernels or the GPU.

use std::fmt;

use fairground_kernels::queue::Occupancy;
use fairground_kernels::{Item, Outcome, Queue, SimdLevel, Tally};

use super::gpu::{Gpu, GpuError};
use super::{EvaluateError, run_scalar};
use crate::games::Game;

/// The backend a user asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackendChoice {
    /// A hardware GPU if there is one, otherwise the fastest on the CPU.
    #[default]
    Auto,
    /// The readable rules engine.
    Scalar,
    /// The lockstep kernels, at this level or the best of the CPU.
    Simd(Option<SimdLevel>),
    /// The compute shaders.
    Gpu,
}

/// A backend that is ready to play.
#[derive(Debug)]
pub enum Backend {
    /// The readable rules engine.
    Scalar,
    /// The lockstep kernels.
    Simd(SimdLevel),
    /// The compute shaders.
    Gpu(Box<Gpu>),
}

/// Why a backend is not to be had.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    /// The CPU lacks the instructions.
    #[error("this CPU has no {wanted}; it has {}", available.iter().map(|l| l.name()).collect::<Vec<_>>().join(", "))]
    NoSuchLevel {
        /// What was asked for.
        wanted: SimdLevel,
        /// What there is.
        available: Vec<SimdLevel>,
    },
    /// No GPU, or it does not work.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

impl Backend {
    /// Gets the chosen backend ready.
    ///
    /// # Errors
    /// If this machine does not have it.
    pub fn choose(choice: BackendChoice) -> Result<Self, BackendError> {
        Ok(match choice {
            BackendChoice::Scalar => Self::Scalar,
            BackendChoice::Simd(level) => {
                let wanted = level.unwrap_or_else(SimdLevel::best);
                if !wanted.is_available() {
                    return Err(BackendError::NoSuchLevel { wanted, available: SimdLevel::available() });
                }
                Self::Simd(wanted)
            }
            BackendChoice::Gpu => Self::Gpu(Box::new(Gpu::open()?)),
            // A software driver (Vulkan on the CPU) only competes with the kernels for the same cores.
            BackendChoice::Auto => match Gpu::open_hardware() {
                Ok(gpu) => Self::Gpu(Box::new(gpu)),
                Err(_) => Self::fastest_on_cpu(),
            },
        })
    }

    /// The kernels, unless this CPU's vectors are too poor to beat the rules engine: without byte shuffles and
    /// a shift for each lane (SSE2) they do three quarters of its rate.
    pub(super) fn fastest_on_cpu() -> Self {
        match SimdLevel::best() {
            SimdLevel::Sse2 | SimdLevel::Portable => Self::Scalar,
            level => Self::Simd(level),
        }
    }

    /// `scalar`, `simd` or `gpu`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Simd(_) => "simd",
            Self::Gpu(_) => "gpu",
        }
    }

    /// Plays all items, one tally for each, and records every playout if `records` is not empty.
    pub(super) fn run<G: Game>(
        &self,
        policy: G::Policy,
        items: &[Item<G::Packed>],
        tallies: &mut [Tally],
        records: &mut [Option<(Outcome, G::Packed)>],
    ) -> Result<Occupancy, EvaluateError> {
        let mut queue = Queue::new(items, tallies, records);
        match self {
            Self::Scalar => run_scalar::<G>(policy, &mut queue),
            Self::Simd(level) => G::play_lockstep(*level, policy, &mut queue),
            Self::Gpu(gpu) => gpu.run::<G>(policy, &mut queue)?,
        }
        Ok(queue.occupancy())
    }
}

impl fmt::Display for Backend {
    /// The backend and what it runs on, for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar => f.write_str("scalar (rules engine)"),
            Self::Simd(level) => write!(f, "simd ({level}, {} lanes)", level.lanes()),
            Self::Gpu(gpu) => write!(f, "gpu ({})", gpu.adapter()),
        }
    }
}
