//! A wgpu device that reports errors instead of panicking.

use std::fmt::Display;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use wgpu::{BufferUsages, DeviceType, ErrorFilter, PollType};

use super::GpuError;
use super::shader::WORKGROUP;

/// Lanes on hardware: enough to hide its latencies.
const HARDWARE_LANES: u32 = 1 << 16;

/// Lanes per CPU core for a software driver.
const SOFTWARE_LANES: u32 = 512;

/// Whether the system shows a device file of a GPU. Only Linux can be asked; elsewhere there may always be one.
pub(super) fn may_have_hardware() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    // Cards by the kernel's own drivers, NVIDIA's, Windows' under WSL, and those of phones and small boards.
    let has_card = std::fs::read_dir("/dev/dri").is_ok_and(|mut entries| entries.next().is_some());
    has_card || ["/dev/nvidia0", "/dev/dxg", "/dev/kgsl-3d0", "/dev/mali0"].iter().any(|file| Path::new(file).exists())
}

/// An open device and its queue.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    name: String,
    hardware: bool,
    lanes: u32,
    /// Why the device was lost, or what failed where nobody waited for it.
    failure: Arc<Mutex<Option<String>>>,
}

impl Device {
    pub(super) fn open() -> Result<Self, GpuError> {
        // No validation layers and no debug output: a library does not write to the terminal.
        let mut options = wgpu::InstanceDescriptor::new_without_display_handle();
        options.backends = wgpu::Backends::PRIMARY;
        options.flags = wgpu::InstanceFlags::empty();
        let instance = wgpu::Instance::new(options);
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
        let adapter = adapters.into_iter().min_by_key(|adapter| match adapter.get_info().device_type {
            DeviceType::DiscreteGpu => 0,
            DeviceType::IntegratedGpu => 1,
            DeviceType::VirtualGpu => 2,
            DeviceType::Other => 3,
            DeviceType::Cpu => 4,
        });
        let adapter = adapter.ok_or(GpuError::NoAdapter)?;
        let info = adapter.get_info();
        let hardware = info.device_type != DeviceType::Cpu;
        let name = [info.name.as_str(), &format!("{:?}", info.backend), &info.driver, &info.driver_info]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ");

        let options = wgpu::DeviceDescriptor {
            label: Some("fairground"),
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&options))
            .map_err(|error| GpuError::NoDevice { adapter: name.clone(), reason: error.to_string() })?;

        let failure = Arc::new(Mutex::new(None));
        let note = |failure: &Arc<Mutex<Option<String>>>| {
            let failure = Arc::clone(failure);
            move |reason: String| {
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
            }
        };
        let lost = note(&failure);
        device.set_device_lost_callback(move |reason, message| lost(format!("{reason:?}: {message}")));
        let uncaptured = note(&failure);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| uncaptured(error.to_string())));

        let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        let lanes = if hardware { HARDWARE_LANES } else { (SOFTWARE_LANES * cores).min(HARDWARE_LANES) };
        Ok(Self { device, queue, name, hardware, lanes, failure })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) const fn is_hardware(&self) -> bool {
        self.hardware
    }

    /// How many lanes keep the device busy; a multiple of the workgroup's size.
    pub(super) const fn lanes(&self) -> u32 {
        self.lanes
    }

    /// The size of the largest buffer a shader can use.
    pub(super) fn largest_buffer(&self) -> u64 {
        let limits = self.device.limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
    }

    /// Does `work` and returns the error it caused, if any. `task` completes "the GPU refused to".
    pub(super) fn checked<T>(&self, task: impl Display, work: impl FnOnce() -> T) -> Result<T, GpuError> {
        let internal = self.device.push_error_scope(ErrorFilter::Internal);
        let memory = self.device.push_error_scope(ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(ErrorFilter::Validation);
        let result = work();
        let errors = [validation, memory, internal].map(|scope| pollster::block_on(scope.pop()));
        let Some(error) = errors.into_iter().flatten().next() else { return self.still_there().map(|()| result) };
        // A lost device makes everything invalid: then that is the reason to tell. It is told when polled.
        let _ = self.device.poll(PollType::Poll);
        self.still_there()?;
        Err(match error {
            wgpu::Error::OutOfMemory { .. } => GpuError::OutOfMemory,
            error => GpuError::Refused { task: task.to_string(), reason: error.to_string() },
        })
    }

    fn still_there(&self) -> Result<(), GpuError> {
        match self.failure.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            Some(reason) => Err(GpuError::Lost(reason.clone())),
            None => Ok(()),
        }
    }

    pub(super) fn pipeline(&self, source: &str, entry: &str) -> Result<wgpu::ComputePipeline, GpuError> {
        let module = self.checked("compile a shader", || {
            self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(entry),
                source: wgpu::ShaderSource::Wgsl(source.into()),
            })
        })?;
        self.checked("build a pipeline", || {
            self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: None,
                module: &module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        })
    }

    /// A buffer of zeros.
    pub(super) fn buffer(&self, words: usize, usage: BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            // A binding must not be empty.
            size: words.max(1) as u64 * 4,
            usage,
            mapped_at_creation: false,
        })
    }

    /// A buffer of the given words.
    pub(super) fn upload(&self, words: &[u32], usage: BufferUsages) -> wgpu::Buffer {
        let buffer = self.buffer(words.len(), usage | BufferUsages::COPY_DST);
        self.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
        buffer
    }

    pub(super) fn bind(&self, pipeline: &wgpu::ComputePipeline, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
        let entries: Vec<_> = buffers
            .iter()
            .zip(0..)
            .map(|(buffer, binding)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    }

    /// Submits one dispatch (none if `workgroups` is 0), followed by a copy of `from` to the host.
    pub(super) fn submit(
        &self,
        pipeline: &wgpu::ComputePipeline,
        bindings: &wgpu::BindGroup,
        workgroups: u32,
        from: &wgpu::Buffer,
    ) -> Readback {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: from.size(),
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        if workgroups > 0 {
            let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            compute.set_pipeline(pipeline);
            compute.set_bind_group(0, bindings, &[]);
            compute.dispatch_workgroups(workgroups, 1, 1);
        }
        encoder.copy_buffer_to_buffer(from, 0, &buffer, 0, from.size());
        let submission = self.queue.submit([encoder.finish()]);
        let (sender, mapped) = mpsc::channel();
        // The receiver is gone only if nobody waits any more.
        buffer.map_async(wgpu::MapMode::Read, .., move |result| drop(sender.send(result)));
        Readback { buffer, submission, mapped }
    }

    /// Waits for a submission and reads the words it copied.
    pub(super) fn read(&self, readback: &Readback) -> Result<Vec<u32>, GpuError> {
        let wait = PollType::Wait { submission_index: Some(readback.submission.clone()), timeout: None };
        let waited = self.checked("finish its work", || self.device.poll(wait))?;
        waited.map_err(|error| GpuError::Lost(error.to_string()))?;
        let unreadable = |reason: &dyn Display| GpuError::Lost(format!("results cannot be read: {reason}"));
        // The callback may be under way in another thread that waits for the device.
        match readback.mapped.recv_timeout(Duration::from_secs(10)) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(unreadable(&error)),
            Err(error) => return Err(unreadable(&error)),
        }
        let view = readback.buffer.get_mapped_range(..).map_err(|error| unreadable(&error))?;
        Ok(bytemuck::pod_collect_to_vec(&view))
    }

    pub(super) fn compute(
        &self,
        source: &str,
        input: &[u32],
        outputs: usize,
        workgroups: u32,
    ) -> Result<Vec<u32>, GpuError> {
        let pipeline = self.pipeline(source, "main")?;
        let readback = self.checked("run a shader", || {
            let input = self.upload(input, BufferUsages::STORAGE);
            let output = self.buffer(outputs, BufferUsages::STORAGE | BufferUsages::COPY_SRC);
            let bindings = self.bind(&pipeline, &[&input, &output]);
            self.submit(&pipeline, &bindings, workgroups, &output)
        })?;
        self.read(&readback)
    }
}

/// A copy on its way to the host.
#[derive(Debug)]
pub(super) struct Readback {
    buffer: wgpu::Buffer,
    submission: wgpu::SubmissionIndex,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
}

const _: () = assert!(HARDWARE_LANES.is_multiple_of(WORKGROUP) && SOFTWARE_LANES.is_multiple_of(WORKGROUP));
