//! Links between processes that are threads of one program, for tests here and of the search.
//!
//! Invariant: each pair of processes has one connection. Deliberately elsewhere: how processes find each other (`rendezvous`).

use super::links::{Connection, Links};
use std::os::unix::net::UnixStream;

/// Links between this many processes.
pub fn links(processes: usize) -> Vec<Links> {
    let mut ends: Vec<Vec<Option<Box<dyn Connection>>>> = (0..processes).map(|_| (0..processes).map(|_| None).collect()).collect();
    for (one, other) in (0..processes).flat_map(|one| (0..one).map(move |other| (one, other))) {
        let (here, there) = UnixStream::pair().expect("a pair");
        ends[one][other] = Some(Box::new(here));
        ends[other][one] = Some(Box::new(there));
    }
    ends.into_iter().enumerate().map(|(me, ends)| Links::new(me, ends).expect("threads")).collect()
}
