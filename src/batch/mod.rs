//! The batch evaluator: plays thousands of positions many times over and counts who won.
//!
//! ```
//! use fairground::batch::{Batch, Evaluator};
//! use fairground::games::tubstap::{Policy, Tubstap, builtin};
//!
//! let mut batch = Batch::<Tubstap>::new(Policy::Random, 1);
//! for map in builtin::maps() {
//!     batch.push(map.start(), 1000);
//! }
//! let evaluation = Evaluator::default().evaluate(&batch)?;
//! assert_eq!(evaluation.tallies[0].playouts, 1000);
//! # Ok::<(), fairground::batch::EvaluateError>(())
//! ```
//!
//! A playout depends only on its position, the policy, the run's seed, the position's key, the playout's
//! index and the game's rules version. So results do not depend on backend, threads, chunks or the
//! order of a batch, and two halves of a run add up to the whole.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use fairground_kernels::queue::Occupancy;
use fairground_kernels::rng::{self, Rng};
use rayon::prelude::*;

pub use fairground_kernels::{Ending, Item, Moments, Outcome, Queue, SimdLevel, Tally};

use crate::games::Game;

mod backend;
pub mod gpu;

pub use backend::{Backend, BackendChoice, BackendError};

/// Positions to be played, and how.
#[derive(Clone, Debug)]
pub struct Batch<G: Game> {
    policy: G::Policy,
    seed: u64,
    entries: Vec<Entry<G::Packed>>,
}

#[derive(Clone, Copy, Debug)]
struct Entry<P> {
    start: P,
    base: u64,
    first: u64,
    playouts: u64,
}

impl<G: Game> Batch<G> {
    /// An empty batch.
    #[must_use]
    pub const fn new(policy: G::Policy, seed: u64) -> Self {
        Self { policy, seed, entries: Vec::new() }
    }

    /// Adds a position to be played `playouts` times. Its key is [`Game::key`]: equal positions in one run
    /// share their random numbers, so add each once.
    pub fn push(&mut self, position: impl std::borrow::Borrow<G::Position>, playouts: u64) {
        let position = position.borrow();
        self.push_part(position, G::key(position), 0, playouts);
    }

    /// Adds playouts number `first..first + playouts` of a position under a key of the caller's choice.
    ///
    /// A run can be split this way: the parts' tallies add up to those of the whole.
    pub fn push_part(&mut self, position: &G::Position, key: u64, first: u64, playouts: u64) {
        let base = rng::position_base(self.seed, key);
        self.entries.push(Entry { start: G::pack(position), base, first, playouts });
    }

    /// Number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is nothing to play.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Number of playouts of all positions together.
    #[must_use]
    pub fn playouts(&self) -> u64 {
        self.entries.iter().map(|entry| entry.playouts).sum()
    }

    /// The policy of all playouts.
    #[must_use]
    pub const fn policy(&self) -> G::Policy {
        self.policy
    }
}

/// What came of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// One tally per position, in the order they were added.
    pub tallies: Vec<Tally>,
    /// How full the lanes were.
    pub occupancy: Occupancy,
}

/// Outcome and final position of one playout.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<P> {
    /// Who won, how long it took, how many numbers were drawn.
    pub outcome: Outcome,
    /// Where it ended.
    pub last: P,
}

/// How to evaluate. The default picks the fastest backend of this machine and uses all cores.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The backend.
    pub backend: BackendChoice,
    /// Threads of the CPU backends; 0 means one per core.
    pub threads: usize,
    /// Playouts per chunk; 0 lets the backend choose. Results do not depend on it.
    pub chunk: u64,
}

/// Why a batch could not be evaluated.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// The GPU failed.
    #[error(transparent)]
    Gpu(#[from] gpu::GpuError),
    /// The caller asked to stop.
    #[error("stopped on request")]
    Stopped,
}

/// Plays batches. Make one and keep it: it owns threads and, perhaps, a GPU device.
#[derive(Debug)]
pub struct Evaluator {
    backend: Backend,
    pool: rayon::ThreadPool,
    chunk: u64,
}

impl Default for Evaluator {
    /// The fastest CPU backend on all cores.
    fn default() -> Self {
        Self::with_backend(Backend::fastest_on_cpu(), 0, 0)
    }
}

/// Watches a run: told of finished playouts, asked whether to go on.
pub trait Watch: Sync {
    /// So many more playouts are finished.
    fn finished(&self, playouts: u64);
    /// Whether to stop at the next safe point.
    fn stop(&self) -> bool {
        false
    }
}

impl Watch for () {
    fn finished(&self, _: u64) {}
}

impl Evaluator {
    /// An evaluator with the given options.
    ///
    /// # Errors
    /// If the backend that was asked for does not exist on this machine.
    pub fn new(options: &Options) -> Result<Self, BackendError> {
        Ok(Self::with_backend(Backend::choose(options.backend)?, options.threads, options.chunk))
    }

    fn with_backend(backend: Backend, threads: usize, chunk: u64) -> Self {
        let build = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        // Only the operating system can refuse threads; one always exists.
        let pool =
            build(threads).or_else(|_| rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build());
        let pool = pool.expect("a pool of the current thread needs nothing from the system");
        Self { backend, pool, chunk }
    }

    /// The backend in use.
    #[must_use]
    pub const fn backend(&self) -> &Backend {
        &self.backend
    }

    /// Threads of the CPU backends.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Plays every playout of the batch and tallies them by position.
    ///
    /// # Errors
    /// If the GPU fails; CPU backends cannot.
    pub fn evaluate<G: Game>(&self, batch: &Batch<G>) -> Result<Evaluation, EvaluateError> {
        self.evaluate_watched(batch, &())
    }

    /// [`evaluate`](Self::evaluate) with progress reports and a way to stop.
    ///
    /// # Errors
    /// If the GPU fails or the watcher asks to stop.
    pub fn evaluate_watched<G: Game>(&self, batch: &Batch<G>, watch: &dyn Watch) -> Result<Evaluation, EvaluateError> {
        self.tally(batch, watch, self.threads())
    }

    /// [`evaluate`](Self::evaluate) on the calling thread alone, for callers that have threads of their own.
    ///
    /// # Errors
    /// If the GPU fails; CPU backends cannot.
    pub fn evaluate_here<G: Game>(&self, batch: &Batch<G>) -> Result<Evaluation, EvaluateError> {
        self.tally(batch, &(), 1)
    }

    fn tally<G: Game>(&self, batch: &Batch<G>, watch: &dyn Watch, threads: usize) -> Result<Evaluation, EvaluateError> {
        let sum = Mutex::new((vec![Tally::default(); batch.len()], Occupancy::default()));
        self.for_each_chunk(batch, watch, threads, |chunk| {
            let mut tallies = vec![Tally::default(); chunk.items.len()];
            let occupancy = self.backend.run::<G>(batch.policy, &chunk.items, &mut tallies, &mut [])?;
            let mut sum = sum.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            for (tally, part) in sum.0[chunk.first_entry..].iter_mut().zip(&tallies) {
                tally.merge(part);
            }
            sum.1.merge(occupancy);
            Ok(())
        })?;
        let (tallies, occupancy) = sum.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(Evaluation { tallies, occupancy })
    }

    /// Outcome and final position of every playout, position by position. Takes memory for each playout.
    ///
    /// # Errors
    /// If the GPU fails; CPU backends cannot.
    pub fn records<G: Game>(&self, batch: &Batch<G>) -> Result<Vec<Record<G::Position>>, EvaluateError> {
        let all = Mutex::new(vec![None; batch.playouts() as usize]);
        self.for_each_chunk(batch, &(), self.threads(), |chunk| {
            let mut tallies = vec![Tally::default(); chunk.items.len()];
            let mut records = vec![None; chunk.playouts as usize];
            self.backend.run::<G>(batch.policy, &chunk.items, &mut tallies, &mut records)?;
            let mut all = all.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            all[chunk.first_playout as usize..][..records.len()].copy_from_slice(&records);
            Ok(())
        })?;
        let all = all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let unpack = |(outcome, last)| Record { outcome, last: G::unpack(&last) };
        Ok(all.into_iter().flatten().map(unpack).collect())
    }

    /// Tallies by position and by group: `group` gives the number of a playout's group, below `groups`, from its final
    /// position in words. Cheaper than [`records`](Self::records), and takes no memory for playouts that are counted.
    ///
    /// # Errors
    /// If the GPU fails or the watcher asks to stop.
    pub fn evaluate_grouped<G: Game>(
        &self,
        batch: &Batch<G>,
        groups: usize,
        group: impl Fn(&G::Packed) -> usize + Sync,
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<Tally>>, EvaluateError> {
        let sum = Mutex::new(vec![vec![Tally::default(); groups]; batch.len()]);
        self.for_each_chunk(batch, watch, self.threads(), |chunk| {
            let mut tallies = vec![Tally::default(); chunk.items.len()];
            let mut records = vec![None; chunk.playouts as usize];
            self.backend.run::<G>(batch.policy, &chunk.items, &mut tallies, &mut records)?;
            let mut sum = sum.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let mut records = records.iter();
            for (tallies, item) in sum[chunk.first_entry..].iter_mut().zip(&chunk.items) {
                for (outcome, last) in records.by_ref().take(item.playouts as usize).flatten() {
                    if let Some(tally) = tallies.get_mut(group(last)) {
                        tally.add(outcome);
                    }
                }
            }
            Ok(())
        })?;
        Ok(sum.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Runs `work` on the threads of this evaluator.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    /// Cuts the batch into chunks and runs `work` on each, on all threads or on the calling one (as a GPU does).
    fn for_each_chunk<G: Game>(
        &self,
        batch: &Batch<G>,
        watch: &dyn Watch,
        threads: usize,
        work: impl Fn(Chunk<G::Packed>) -> Result<(), EvaluateError> + Sync,
    ) -> Result<(), EvaluateError> {
        let chunks = Chunks::new(&batch.entries, self.chunk_size(batch.playouts(), threads as u64));
        let stopped = AtomicBool::new(false);
        let run = |index| {
            if stopped.load(Ordering::Relaxed) || watch.stop() {
                stopped.store(true, Ordering::Relaxed);
                return Err(EvaluateError::Stopped);
            }
            let chunk = chunks.get(index);
            let playouts = chunk.playouts;
            work(chunk)?;
            watch.finished(playouts);
            Ok(())
        };
        if threads == 1 || matches!(self.backend, Backend::Gpu(_)) {
            (0..chunks.len()).try_for_each(run)
        } else {
            self.pool.install(|| (0..chunks.len()).into_par_iter().try_for_each(run))
        }
    }

    /// Big enough that lanes which idle at the end of a chunk do not count, small enough to keep all
    /// threads busy to the end and to report progress.
    fn chunk_size(&self, playouts: u64, threads: u64) -> u64 {
        if self.chunk > 0 {
            return self.chunk;
        }
        if let Backend::Gpu(gpu) = &self.backend {
            return gpu.chunk();
        }
        if threads == 1 { 1 << 14 } else { playouts.div_ceil(16 * threads).clamp(1 << 9, 1 << 14) }
    }
}

/// A batch cut into chunks of equally many playouts, made on demand so that memory does not grow with
/// the number of playouts.
struct Chunks<'a, P> {
    entries: &'a [Entry<P>],
    /// `starts[i]` is the running number of entry i's first playout; one more for the end.
    starts: Vec<u64>,
    size: u64,
}

/// Part of a batch.
struct Chunk<P> {
    items: Vec<Item<P>>,
    first_entry: usize,
    first_playout: u64,
    playouts: u64,
}

impl<'a, P: Copy> Chunks<'a, P> {
    fn new(entries: &'a [Entry<P>], size: u64) -> Self {
        let mut starts = vec![0];
        starts.extend(entries.iter().scan(0, |sum, entry| {
            *sum += entry.playouts;
            Some(*sum)
        }));
        // An item counts its playouts in 32 bits.
        Self { entries, starts, size: size.clamp(1, 1 << 30) }
    }

    fn total(&self) -> u64 {
        self.starts[self.entries.len()]
    }

    fn len(&self) -> u64 {
        self.total().div_ceil(self.size)
    }

    fn get(&self, index: u64) -> Chunk<P> {
        let first_playout = index * self.size;
        let end = (first_playout + self.size).min(self.total());
        // The last entry that starts at or before the chunk; earlier empty ones are skipped.
        let first_entry = self.starts.partition_point(|&start| start <= first_playout) - 1;
        let items = self.entries[first_entry..]
            .iter()
            .zip(&self.starts[first_entry..])
            .take_while(|&(_, &start)| start < end)
            .map(|(entry, &start)| {
                let skipped = first_playout.saturating_sub(start);
                let playouts = (start + entry.playouts).min(end) - (start + skipped);
                Item { start: entry.start, base: entry.base, first: entry.first + skipped, playouts: playouts as u32 }
            })
            .collect();
        Chunk { items, first_entry, first_playout, playouts: end - first_playout }
    }
}

/// Plays the items one playout after another on the readable rules engine.
fn run_scalar<G: Game>(policy: G::Policy, queue: &mut Queue<'_, G::Packed>) {
    let mut unpacked: Option<(u32, G::Position)> = None;
    while let Some((ticket, start, state)) = queue.take_one() {
        let start = match &unpacked {
            Some((item, position)) if *item == ticket.item => position,
            _ => &unpacked.insert((ticket.item, G::unpack(start))).1,
        };
        let mut position = start.clone();
        let outcome = G::play(&mut position, policy, &mut Rng::new(state));
        queue.finish(ticket, outcome, || G::pack(&position));
    }
}
