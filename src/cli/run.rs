//! What commands that play for long have in common: the backend, progress, and Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::ValueEnum;
use fairground::batch::{Backend, BackendChoice, Evaluator, SimdLevel, Watch};
use indicatif::{ProgressBar, ProgressStyle};

use super::{CliError, is_watched, open, parse_threads, say};

/// What plays, and what is said about it.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// What plays
    #[arg(long, default_value = "auto")]
    backend: BackendArg,

    /// Vector instructions for the simd backend: sse2, sse4.2, avx2, avx512, neon [default: the best of this CPU]
    #[arg(long, value_name = "LEVEL")]
    simd_level: Option<SimdLevel>,

    /// Threads; 0 means one per core
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = parse_threads)]
    threads: usize,

    /// No progress, no warnings, no word about the backend
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BackendArg {
    /// A hardware GPU if there is one, otherwise what is fastest on the CPU
    Auto,
    /// The readable rules engine
    Scalar,
    /// Lockstep kernels on the CPU's vector unit
    Simd,
    /// Compute shaders through wgpu
    Gpu,
}

impl RunArgs {
    /// The backend that is asked for.
    pub fn choice(&self) -> Result<BackendChoice, CliError> {
        Ok(match (self.backend, self.simd_level) {
            // Whoever names a level wants it.
            (BackendArg::Simd, level) | (BackendArg::Auto, level @ Some(_)) => BackendChoice::Simd(level),
            (BackendArg::Auto, None) => BackendChoice::Auto,
            (BackendArg::Scalar, None) => BackendChoice::Scalar,
            (BackendArg::Gpu, None) => BackendChoice::Gpu,
            (BackendArg::Scalar | BackendArg::Gpu, Some(_)) => {
                return Err(CliError::Usage("--simd-level goes with --backend simd only".into()));
            }
        })
    }

    /// Gets the backend ready, names it, and listens to Ctrl-C from now on.
    pub fn open(&self, choice: BackendChoice) -> Result<Evaluator, CliError> {
        let evaluator = open(choice, self.threads)?;
        // Without a handler Ctrl-C simply ends the program, which is no loss worth an error.
        let _ = ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        if !self.quiet {
            let threads = match (evaluator.backend(), evaluator.threads()) {
                (Backend::Gpu(_), _) => String::new(),
                (_, 1) => ", 1 thread".into(),
                (_, threads) => format!(", {threads} threads"),
            };
            let why = match (choice, evaluator.backend()) {
                (BackendChoice::Auto, Backend::Gpu(_)) => "; picked because it is hardware",
                (BackendChoice::Auto, _) => "; picked because there is no hardware GPU",
                _ => "",
            };
            say(&format!("backend: {}{threads}{why}", evaluator.backend()));
        }
        Ok(evaluator)
    }

    /// A progress bar for so many of these, or for as many as there will be until a deadline.
    pub fn progress(&self, count: u64, unit: &str, deadline: Option<Instant>) -> Progress {
        let is_visible = !self.quiet && is_watched();
        let bar = match deadline {
            _ if !is_visible => ProgressBar::hidden(),
            Some(_) => ProgressBar::no_length(),
            None => ProgressBar::new(count),
        };
        let template = match deadline {
            Some(_) => format!("{{spinner}} {{human_pos}} {unit} in {{elapsed}}"),
            None => format!("{{wide_bar}} {{human_pos}}/{{human_len}} {unit}, {{eta}} left"),
        };
        let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
        Progress { bar: bar.with_style(style), deadline }
    }
}

/// Set by the first Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C was pressed.
pub fn is_stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Draws the progress bar and passes Ctrl-C on.
pub struct Progress {
    /// The bar.
    pub bar: ProgressBar,
    /// When to stop, if there is a limit.
    deadline: Option<Instant>,
}

impl Watch for Progress {
    fn finished(&self, count: u64) {
        self.bar.inc(count);
    }

    fn stop(&self) -> bool {
        is_stopped() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
