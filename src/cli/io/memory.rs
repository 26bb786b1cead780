//! The memory use of the process, if the system reports it.
//!
//! Invariant: 0 means unknown. Linux only, from `/proc/self/status`; on other systems memory limits cannot be enforced, and the user is
//! warned.

use crate::io::files;
use bcheck_explore::Limits;
use std::sync::atomic::{AtomicU64, Ordering};

/// Warns if a limit on memory was requested that cannot be enforced.
pub(crate) fn warn_if_unknown(limits: &Limits) {
    if limits.memory_bytes.is_some() && resident_bytes() == 0 {
        files::complain("warning: this system does not report how much memory bcheck uses: --memory-limit has no effect\n");
    }
}

/// The limit on memory; all bits are set if there is none.
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// Sets the limit for drawings and pages built from now on.
pub(crate) fn keep_within(limit: Option<u64>) {
    // Relaxed: no other data depends on it.
    LIMIT.store(limit.unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// The memory that remains below the limit, if there is one.
pub(crate) fn room() -> Option<u64> {
    let limit = LIMIT.load(Ordering::Relaxed);
    (limit != u64::MAX).then(|| limit.saturating_sub(resident_bytes()))
}

/// Resident memory now, in bytes.
pub(crate) fn resident_bytes() -> u64 {
    status_field("VmRSS:")
}

/// The largest resident memory so far, in bytes.
pub(crate) fn peak_bytes() -> u64 {
    status_field("VmHWM:")
}

/// The memory of the machine in bytes, or the remainder within its control group; a guess if the system does not report it.
pub(crate) fn of_machine() -> u64 {
    let information = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let all = match kibibytes(&information, "MemTotal:") * 1024 {
        0 => 4 << 30,
        known => known,
    };
    let of_group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|most| most.trim().parse().ok());
    all.min(of_group.unwrap_or(all))
}

/// A field of the kernel's status file in bytes. Its unit is always written kB, and means 1024 bytes.
fn status_field(field: &str) -> u64 {
    std::fs::read_to_string("/proc/self/status").map_or(0, |status| kibibytes(&status, field) * 1024)
}

fn kibibytes(status: &str, field: &str) -> u64 {
    status
        .lines()
        .find_map(|line| line.strip_prefix(field))
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .and_then(|number| number.trim().parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_the_status_file_are_read() {
        let status = "Name:\tbcheck\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(kibibytes(status, "VmHWM:"), 2048);
        assert_eq!(kibibytes(status, "VmRSS:"), 1024);
        assert_eq!(kibibytes(status, "VmPeak:"), 0);
        assert!(of_machine() >= 64 << 20);
    }
}
