//! Plays the playouts of a queue: upload, dispatch until all are finished, download.

use std::collections::VecDeque;

use bytemuck::Zeroable;
use fairground_kernels::queue::Part;
use fairground_kernels::{Outcome, Queue};
use wgpu::BufferUsages;

use super::GpuError;
use super::device::Device;
use super::shader::{ITEM_HEADER, OUTCOME_WORDS, WORKGROUP, ending};
use crate::games::Game;

/// Dispatches that wait on the device while the host reads how far an earlier one came.
const IN_FLIGHT: usize = 2;

/// Bytes of a buffer beyond which a queue is played in several runs.
const BUFFER_LIMIT: u64 = 64 << 20;

/// A game's compiled shader.
#[derive(Debug)]
pub(super) struct Program {
    pipeline: wgpu::ComputePipeline,
    lane_words: usize,
    steps: u32,
}

impl Program {
    pub(super) fn new<G: Game>(device: &Device, policy: G::Policy, iteration_limit: u32) -> Result<Self, GpuError> {
        let shader = G::shader(policy);
        let pipeline = device.pipeline(&shader.module(position_words::<G>()), "playouts")?;
        Ok(Self { pipeline, lane_words: shader.all_lane_words(), steps: shader.steps(iteration_limit) })
    }
}

const fn position_words<G: Game>() -> usize {
    size_of::<G::Packed>() / 4
}

/// Plays all playouts of a queue.
pub(super) fn run<G: Game>(
    device: &Device,
    program: &Program,
    queue: &mut Queue<'_, G::Packed>,
) -> Result<(), GpuError> {
    let record_words = OUTCOME_WORDS + if queue.keeps_records() { position_words::<G>() } else { 0 };
    let words = device.largest_buffer().min(BUFFER_LIMIT) / 4;
    let most_playouts = u32::try_from(words / record_words as u64).unwrap_or(u32::MAX);
    let most_parts = words as usize / (ITEM_HEADER + position_words::<G>());
    loop {
        let parts = queue.take(most_playouts, most_parts);
        if parts.is_empty() {
            return Ok(());
        }
        play_parts::<G>(device, program, &parts, record_words, queue)?;
    }
}

/// Plays some playouts of a queue on the device.
fn play_parts<G: Game>(
    device: &Device,
    program: &Program,
    parts: &[Part],
    record_words: usize,
    queue: &mut Queue<'_, G::Packed>,
) -> Result<(), GpuError> {
    let playouts: u32 = parts.iter().map(|part| part.playouts).sum();
    let lanes = playouts.div_ceil(WORKGROUP).saturating_mul(WORKGROUP).min(device.lanes());
    let (items, item_of_playout) = upload_words::<G>(parts, queue);

    let storage = BufferUsages::STORAGE;
    let (bindings, records, progress) = device.checked("take a batch", || {
        let run = device.upload(&[lanes, playouts, program.steps, record_words as u32], BufferUsages::UNIFORM);
        let items = device.upload(&items, storage);
        let item_of_playout = device.upload(&item_of_playout, storage);
        let lanes = device.buffer(lanes as usize * program.lane_words, storage);
        let records = device.buffer(playouts as usize * record_words, storage | BufferUsages::COPY_SRC);
        let progress = device.buffer(4, storage | BufferUsages::COPY_SRC);
        let buffers = [&run, &items, &item_of_playout, &lanes, &records, &progress];
        (device.bind(&program.pipeline, &buffers), records, progress)
    })?;
    let submit = |workgroups: u32, from: &wgpu::Buffer| {
        device.checked("play", || device.submit(&program.pipeline, &bindings, workgroups, from))
    };

    // The counters on the device wrap around; only their differences are used.
    let mut waiting = VecDeque::new();
    let mut seen = Progress::zeroed();
    while seen.finished < playouts {
        while waiting.len() < IN_FLIGHT {
            waiting.push_back(submit(lanes / WORKGROUP, &progress)?);
        }
        let Some(oldest) = waiting.pop_front() else { break };
        let words = device.read(&oldest)?;
        let now = words.get(..4).map_or(seen, |words| *bytemuck::from_bytes::<Progress>(bytemuck::cast_slice(words)));
        let (busy, total) = (now.busy.wrapping_sub(seen.busy), now.total.wrapping_sub(seen.total));
        queue.count_steps(busy.into(), total.into());
        // Without this check a driver that leaves loops too early would keep us here for ever.
        if busy == 0 && now.finished == seen.finished {
            return Err(GpuError::Stalled { finished: now.finished, playouts });
        }
        seen = now;
    }
    let words = device.read(&submit(0, &records)?)?;
    finish::<G>(parts, &words, record_words, queue)
}

/// What `shaders/playouts.wgsl` counts.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Progress {
    next: u32,
    finished: u32,
    busy: u32,
    total: u32,
}

/// The words of `items` and `item_of_playout` in `shaders/playouts.wgsl`.
fn upload_words<G: Game>(parts: &[Part], queue: &Queue<'_, G::Packed>) -> (Vec<u32>, Vec<u32>) {
    let mut items = Vec::with_capacity(parts.len() * (ITEM_HEADER + position_words::<G>()));
    let mut item_of_playout = Vec::new();
    for (index, part) in (0u32..).zip(parts) {
        let Some(item) = queue.items().get(part.item as usize) else { continue };
        let halves = |word: u64| [word as u32, (word >> 32) as u32];
        items.extend(halves(item.base));
        items.extend(halves(item.first.wrapping_add(part.skipped.into())));
        items.push(item_of_playout.len() as u32);
        items.extend(bytemuck::pod_collect_to_vec::<_, u32>(std::slice::from_ref(&item.start)));
        item_of_playout.extend(std::iter::repeat_n(index, part.playouts as usize));
    }
    (items, item_of_playout)
}

/// Hands the records to the queue.
fn finish<G: Game>(
    parts: &[Part],
    words: &[u32],
    record_words: usize,
    queue: &mut Queue<'_, G::Packed>,
) -> Result<(), GpuError> {
    let tickets = parts.iter().flat_map(Part::tickets);
    for (ticket, record) in tickets.zip(words.chunks_exact(record_words)) {
        let (head, last) = record.split_at(OUTCOME_WORDS);
        let outcome = outcome::<G>(head).ok_or_else(|| GpuError::Refused {
            task: format!("finish playout {} of a batch", ticket.number),
            reason: format!("it wrote the outcome {head:?}"),
        })?;
        let last = || {
            let mut packed = G::Packed::zeroed();
            bytemuck::bytes_of_mut(&mut packed).copy_from_slice(bytemuck::cast_slice(last));
            packed
        };
        queue.finish(ticket, outcome, last);
    }
    Ok(())
}

fn outcome<G: Game>(words: &[u32]) -> Option<Outcome> {
    let &[word, phases, actions, draws] = words else { return None };
    let ending = ending(word)?;
    if let fairground_kernels::Ending::Win(seat) = ending
        && usize::from(seat) >= G::SEATS.len()
    {
        return None;
    }
    Some(Outcome { ending, phases, actions, draws })
}
