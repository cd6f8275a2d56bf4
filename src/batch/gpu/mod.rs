//! The GPU backend: compute shaders through wgpu.
//!
//! Lanes on the device play one playout after another. A dispatch plays a bounded number of steps and
//! leaves unfinished playouts in a buffer for the next one; only outcomes come back to the host, which
//! adds them to the tallies. Which lane plays which playout is up to the device, what is played is not.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fairground_kernels::Queue;

use crate::games::Game;

mod device;
mod run;
mod shader;

use device::Device;
use run::Program;
pub use shader::Shader;

/// Why the GPU backend cannot be used, or failed.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// No adapter.
    #[error(
        "no GPU adapter was found: install a Vulkan, Metal or Direct3D 12 driver (Debian and Ubuntu: \
         mesa-vulkan-drivers, which also has one that runs on the CPU), or use --backend simd"
    )]
    NoAdapter,
    /// The adapter refused.
    #[error("cannot open the GPU {adapter}: {reason}")]
    NoDevice {
        /// Name of the adapter.
        adapter: String,
        /// What it said.
        reason: String,
    },
    /// Not enough memory on the device.
    #[error("the GPU is out of memory; use smaller chunks or --backend simd")]
    OutOfMemory,
    /// The device was lost: reset, unplugged, or its driver gave up.
    #[error("the GPU was lost ({0}); use --backend simd")]
    Lost(String),
    /// The device or its driver refused what it was told, which is a bug of this program or of the driver.
    #[error("the GPU refused to {task}: {reason}")]
    Refused {
        /// What was to be done.
        task: String,
        /// What it said.
        reason: String,
    },
    /// The device returned something that no playout can have written.
    #[error("the GPU stopped before all playouts were finished ({finished} of {playouts}); its driver may limit loops")]
    Stalled {
        /// Playouts it finished.
        finished: u32,
        /// Playouts it was given.
        playouts: u32,
    },
}

/// An open GPU device.
#[derive(Debug)]
pub struct Gpu {
    device: Device,
    /// Compiled shaders by game and policy.
    programs: Mutex<HashMap<(TypeId, String), Arc<Program>>>,
    iteration_limit: OnceLock<u32>,
}

impl Gpu {
    /// Opens the best adapter: hardware before software, a card before what is built into the CPU.
    ///
    /// Nothing is written to the terminal from here. Mesa's device selection layer does complain once or twice
    /// if `XDG_RUNTIME_DIR` is not set; `NODEVICE_SELECT=1` in the environment leaves that layer out.
    ///
    /// # Errors
    /// If there is none, or it does not work.
    pub fn open() -> Result<Self, GpuError> {
        Ok(Self { device: Device::open()?, programs: Mutex::default(), iteration_limit: OnceLock::new() })
    }

    /// Opens the best adapter if it is hardware. Where the system shows that there is none, no driver is even
    /// loaded.
    ///
    /// # Errors
    /// If there is only software or nothing at all, or it does not work.
    pub fn open_hardware() -> Result<Self, GpuError> {
        if !device::may_have_hardware() {
            return Err(GpuError::NoAdapter);
        }
        Self::open().and_then(|gpu| if gpu.is_hardware() { Ok(gpu) } else { Err(GpuError::NoAdapter) })
    }

    /// Whether it is real hardware, not a software driver on the CPU.
    #[must_use]
    pub fn is_hardware(&self) -> bool {
        self.device.is_hardware()
    }

    /// Name of the adapter, its interface and driver.
    #[must_use]
    pub fn adapter(&self) -> &str {
        self.device.name()
    }

    /// Playouts of a chunk with which all lanes are busy most of the time.
    #[must_use]
    pub fn chunk(&self) -> u64 {
        u64::from(self.device.lanes()) * 64
    }

    /// Plays all playouts of a queue.
    ///
    /// # Errors
    /// If the device fails.
    pub fn run<G: Game>(&self, policy: G::Policy, queue: &mut Queue<'_, G::Packed>) -> Result<(), GpuError> {
        let program = self.program::<G>(policy)?;
        run::run::<G>(&self.device, &program, queue)
    }

    /// Runs a small compute shader: `main` of `source` reads the words of binding 0 and writes `outputs`
    /// words to binding 1, in `workgroups` workgroups.
    ///
    /// For probes and tests of shared shader pieces; playouts go through [`run`](Self::run).
    ///
    /// # Errors
    /// If the device fails or does not accept the shader.
    pub fn compute(&self, source: &str, input: &[u32], outputs: usize, workgroups: u32) -> Result<Vec<u32>, GpuError> {
        self.device.compute(source, input, outputs, workgroups)
    }

    /// The compiled shader of a game and policy.
    fn program<G: Game>(&self, policy: G::Policy) -> Result<Arc<Program>, GpuError> {
        let key = (TypeId::of::<G>(), format!("{policy:?}"));
        let limit = self.iteration_limit()?;
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = programs.get(&key) {
            return Ok(Arc::clone(program));
        }
        let program = Arc::new(Program::new::<G>(&self.device, policy, limit)?);
        programs.insert(key, Arc::clone(&program));
        Ok(program)
    }

    /// How many loop iterations of an invocation the driver really does.
    ///
    /// Mesa's software driver silently leaves all loops after 65,535 iterations. A driver with a lower
    /// limit would be found out here; without any limit the same bound keeps dispatches short.
    fn iteration_limit(&self) -> Result<u32, GpuError> {
        if let Some(&limit) = self.iteration_limit.get() {
            return Ok(limit);
        }
        let counted = self.compute(include_str!("../../../shaders/probe.wgsl"), &[MOST_ITERATIONS], 1, 1)?;
        let limit = counted.first().map_or(0, |&counted| counted.min(MOST_ITERATIONS));
        Ok(*self.iteration_limit.get_or_init(|| limit))
    }
}

/// Loop iterations of one invocation that are safe on the strictest driver known.
const MOST_ITERATIONS: u32 = 65_534;

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::games::tubstap::{Policy, Tubstap};
    use bytemuck::Zeroable;
    use fairground_kernels::tubstap::Packed;
    use fairground_kernels::{Item, Tally};

    #[test]
    fn a_lost_device_is_an_error_and_not_a_panic() {
        if std::env::var_os("FAIRGROUND_NO_GPU").is_some() {
            let _ = writeln!(std::io::stderr(), "SKIPPED: FAIRGROUND_NO_GPU is set, so nothing was run on a GPU");
            return;
        }
        let gpu = Gpu::open().unwrap_or_else(|error| panic!("{error}"));
        let start = Packed::zeroed();
        let items = [Item { start, base: 1, first: 0, playouts: 100 }];
        let mut tallies = [Tally::default()];
        gpu.run::<Tubstap>(Policy::Random, &mut Queue::new(&items, &mut tallies, &mut [])).expect("it works");
        assert_eq!(tallies[0].playouts, 100);

        gpu.device.device.destroy();
        let error = gpu.run::<Tubstap>(Policy::Random, &mut Queue::new(&items, &mut tallies, &mut []));
        assert!(matches!(error, Err(GpuError::Lost(_))), "{error:?}");
        assert_eq!(tallies[0].playouts, 100, "nothing was counted");
        let error = gpu.run::<Tubstap>(Policy::Mss, &mut Queue::new(&items, &mut tallies, &mut []));
        assert!(matches!(error, Err(GpuError::Lost(_))), "{error:?}");
    }
}
