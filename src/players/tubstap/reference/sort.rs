//! The sort of the original program's runtime, which decides between equally good actions.
//!
//! MSSystem compares two actions without ever calling them equal and hands that to an unstable sort. Which of several
//! best actions comes first is then a matter of how the sort goes about it, so it is done in the same way here.

/// Partitions of this size and less are sorted by insertion.
const SMALL: usize = 16;

/// Sorts by descending value. Equal values end up in the order of the original.
pub fn sort_descending<T: Copy>(items: &mut [T], value: impl Fn(&T) -> f64) {
    if items.len() < 2 {
        return;
    }
    let depth = 2 * (items.len().ilog2() + 1);
    introsort(items, depth, &|a, b| value(a) > value(b));
}

/// `comes_before` is all there is of the comparison: where it is false the first item counts as the later one, so that
/// of equal items each counts as later than the other.
fn introsort<T: Copy, F: Fn(&T, &T) -> bool>(mut items: &mut [T], mut depth: u32, comes_before: &F) {
    loop {
        match items.len() {
            0 | 1 => return,
            2 => return exchange(items, 0, 1, comes_before),
            3 => {
                exchange(items, 0, 1, comes_before);
                exchange(items, 0, 2, comes_before);
                return exchange(items, 1, 2, comes_before);
            }
            4..=SMALL => return insertion(items, comes_before),
            _ if depth == 0 => return heapsort(items, comes_before),
            _ => {
                depth -= 1;
                let middle = partition(items, comes_before);
                let (left, right) = items.split_at_mut(middle);
                introsort(&mut right[1..], depth, comes_before);
                items = left;
            }
        }
    }
}

/// Swaps two items unless the first comes before the second; equal ones too.
fn exchange<T: Copy, F: Fn(&T, &T) -> bool>(items: &mut [T], a: usize, b: usize, comes_before: &F) {
    if !comes_before(&items[a], &items[b]) {
        items.swap(a, b);
    }
}

fn insertion<T: Copy, F: Fn(&T, &T) -> bool>(items: &mut [T], comes_before: &F) {
    for next in 1..items.len() {
        let mut place = next;
        while place > 0 && comes_before(&items[place], &items[place - 1]) {
            items.swap(place, place - 1);
            place -= 1;
        }
    }
}

/// Splits around the median of the first, middle and last item; returns where that one ends up.
fn partition<T: Copy, F: Fn(&T, &T) -> bool>(items: &mut [T], comes_before: &F) -> usize {
    let last = items.len() - 1;
    let middle = last / 2;
    exchange(items, 0, middle, comes_before);
    exchange(items, 0, last, comes_before);
    exchange(items, middle, last, comes_before);
    let pivot = items[middle];
    items.swap(middle, last - 1);
    let (mut left, mut right) = (0, last - 1);
    while left < right {
        left += 1;
        while left < last && comes_before(&items[left], &pivot) {
            left += 1;
        }
        right -= 1;
        while right > 0 && comes_before(&pivot, &items[right]) {
            right -= 1;
        }
        if left >= right {
            break;
        }
        items.swap(left, right);
    }
    items.swap(left, last - 1);
    left
}

fn heapsort<T: Copy, F: Fn(&T, &T) -> bool>(items: &mut [T], comes_before: &F) {
    for root in (0..items.len() / 2).rev() {
        sift_down(items, root, comes_before);
    }
    for end in (1..items.len()).rev() {
        items.swap(0, end);
        sift_down(&mut items[..end], 0, comes_before);
    }
}

/// Lets the item at `root` sink to its place in the heap whose top comes last.
fn sift_down<T: Copy, F: Fn(&T, &T) -> bool>(heap: &mut [T], mut root: usize, comes_before: &F) {
    loop {
        let mut child = 2 * root + 1;
        if child >= heap.len() {
            return;
        }
        if child + 1 < heap.len() && comes_before(&heap[child], &heap[child + 1]) {
            child += 1;
        }
        if !comes_before(&heap[root], &heap[child]) {
            return;
        }
        heap.swap(root, child);
        root = child;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairground_kernels::rng::{Draws, Rng};

    #[test]
    fn every_way_of_sorting_sorts() {
        for case in 0..2000 {
            let mut rng = Rng::for_playout(1, 0, case);
            let (length, values) = (rng.below(100) as usize, rng.below(30) + 1);
            let keys: Vec<f64> = (0..length).map(|_| rng.below(values).into()).collect();
            let mut expected = keys.clone();
            expected.sort_unstable_by(|a, b| b.total_cmp(a));
            let mut sorted = keys.clone();
            sort_descending(&mut sorted, |&key| key);
            assert_eq!(sorted, expected, "{keys:?}");
            let mut sorted = keys.clone();
            heapsort(&mut sorted, &|a, b| a > b);
            assert_eq!(sorted, expected, "{keys:?} on the heap");
        }
    }

    #[test]
    fn values_that_cannot_be_compared_do_no_harm() {
        for case in 0..2000 {
            let mut rng = Rng::for_playout(2, 0, case);
            let length = rng.below(100);
            let mut keys: Vec<f64> =
                (0..length).map(|_| if rng.below(3) == 0 { f64::NAN } else { rng.below(9).into() }).collect();
            let count = |keys: &[f64]| keys.iter().filter(|key| key.is_nan()).count();
            let before = count(&keys);
            sort_descending(&mut keys, |&key| key);
            assert_eq!(count(&keys), before);
        }
    }
}
