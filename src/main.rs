//! The `countersign` command: passes the outside world to the library and exits with its exit code.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    countersign::cli::main(early::stdout_is_closed())
}

/// Looks at what is visible only before Rust's runtime starts. The runtime replaces a closed standard output with
/// `/dev/null`, and then a report that goes nowhere looks like one that was written.
#[cfg(target_os = "linux")]
mod early {
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};

    static STDOUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

    /// The C runtime calls the functions in this section before `main`.
    #[used]
    #[expect(
        unsafe_code,
        reason = "there is no other way to be called so early; the function does nothing unsafe"
    )]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        let descriptors = Path::new("/proc/self/fd");
        let is_closed = descriptors.is_dir() && descriptors.join("1").symlink_metadata().is_err();
        STDOUT_IS_CLOSED.store(is_closed, Ordering::Relaxed);
    }

    pub(crate) fn stdout_is_closed() -> bool {
        STDOUT_IS_CLOSED.load(Ordering::Relaxed)
    }
}

#[cfg(not(target_os = "linux"))]
mod early {
    pub(crate) fn stdout_is_closed() -> bool {
        false
    }
}
