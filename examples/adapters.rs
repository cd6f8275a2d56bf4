//! Says which GPU adapter Fairground would use; fails if there is none. `./check` asks it.

use std::process::ExitCode;

use fairground::batch::gpu::Gpu;

fn main() -> ExitCode {
    match Gpu::open() {
        Ok(gpu) => {
            println!("{}", gpu.adapter());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
