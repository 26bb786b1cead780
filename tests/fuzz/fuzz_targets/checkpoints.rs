//! Any bytes as a log, a sorted run or a manifest, under right checksums, are refused, or can be written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| bcheck::fuzzing::checkpoint(bytes));
