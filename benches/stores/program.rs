//! `countersign serve` in a process of its own.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

pub(crate) const TOKEN: &str = "benchmark-token";

/// A program that serves until this is dropped.
pub(crate) struct Program {
    child: Child,
    address: String,
}

impl Program {
    /// Starts it, and waits until it serves.
    pub(crate) fn serve(store: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .env("COUNTERSIGN_STORE", store)
            .env("COUNTERSIGN_TOKEN", TOKEN)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line
            .split_whitespace()
            .nth(1)
            .unwrap()
            .trim_start_matches("http://")
            .to_owned();
        Program { child, address }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the most memory that it has held, in KiB; 0 where the system has no such file.
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok())
            .unwrap_or(0)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
