//! Whoever says any bytes to a process that waits for others is turned away; bytes that are no message are none.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| bcheck::fuzzing::process(bytes));
