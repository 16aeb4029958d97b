//! The `countersign` command: hands the outside world to the library and ends with its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign::cli::main()
}
