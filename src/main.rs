//! The `countersign` command: hands the outside world to the library and ends with its exit code.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    countersign::cli::main(early::stdout_is_closed())
}

/// What can be seen before Rust's runtime begins: it puts `/dev/null` in the place of a standard output that is closed,
/// and then a report that goes nowhere looks like one that was written.
#[cfg(target_os = "linux")]
mod early {
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};

    static STDOUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

    /// The system calls what stands in this section before `main`.
    #[used]
    #[expect(
        unsafe_code,
        reason = "there is no other way to be called so early; nothing unsafe is done then"
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
