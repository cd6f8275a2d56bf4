//! The GPU backend: compute shaders through wgpu.

use fairground_kernels::Queue;

use crate::games::Game;

/// A game's compute shader.
#[derive(Clone, Debug)]
pub struct Shader {
    /// WGSL source.
    pub source: String,
}

/// Why the GPU backend cannot be used, or failed.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// No adapter.
    #[error("no GPU adapter was found")]
    NoAdapter,
}

/// An open GPU device.
#[derive(Debug)]
pub struct Gpu {}

impl Gpu {
    /// Opens the best adapter.
    ///
    /// # Errors
    /// If there is none.
    pub fn open() -> Result<Self, GpuError> {
        Err(GpuError::NoAdapter)
    }

    /// Whether it is real hardware, not a software driver on the CPU.
    #[must_use]
    pub fn is_hardware(&self) -> bool {
        false
    }

    /// Name of adapter and driver.
    #[must_use]
    pub fn adapter(&self) -> &str {
        ""
    }

    /// Plays all playouts of a queue.
    ///
    /// # Errors
    /// If the device fails.
    pub fn run<G: Game>(&self, _policy: G::Policy, _queue: &mut Queue<'_, G::Packed>) -> Result<(), GpuError> {
        Err(GpuError::NoAdapter)
    }
}
