//! Sorting a long list with several threads, in place: a list beyond memory takes no more memory than the visited set has released.
//!
//! The list is divided at its median, and each half is sorted by half of the threads (parallel quicksort; dividing takes linear time).
//! Invariant: the order is that of one thread, except for elements that compare equal.

use std::cmp::Ordering;
use std::thread;

/// A thread is started only for this many elements.
const LEAST_SHARE: usize = if cfg!(test) { 1 << 6 } else { 1 << 16 };

/// Sorts a list with at most this many threads; elements that compare equal may come in any order.
pub(super) fn sort_by<T: Send>(list: &mut [T], threads: usize, compare: &(impl Fn(&T, &T) -> Ordering + Sync)) {
    let threads = threads.min(list.len() / LEAST_SHARE);
    if threads <= 1 {
        list.sort_unstable_by(compare);
        return;
    }
    // Where the number of threads is odd, the second part is the longer one.
    let first = threads / 2;
    let middle = list.len() / threads * first;
    list.select_nth_unstable_by(middle, compare);
    let (low, high) = list.split_at_mut(middle);
    thread::scope(|scope| {
        scope.spawn(|| sort_by(low, first, compare));
        sort_by(high, threads - first, compare);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn several_threads_sort_as_one(mut list in proptest::collection::vec(0..1_000u32, 0..2_000), threads in 1..9usize) {
            let mut expected = list.clone();
            expected.sort_unstable();
            sort_by(&mut list, threads, &u32::cmp);
            prop_assert_eq!(list, expected);
        }
    }
}
