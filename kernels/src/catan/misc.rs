//! Everything a player can choose in a turn but roads and buildings, as the bits of one word.

/// Bit `5 give + get`: a trade with the bank.
pub const TRADE: u32 = 0;
/// The first of fifteen bits: year of plenty for the pairs (0, 0), (0, 1), ... (4, 4) of [`PAIRS`].
pub const PLENTY: u32 = 25;
/// The first of five bits: monopoly on a resource.
pub const MONOPOLY: u32 = 40;
/// Play a knight.
pub const KNIGHT: u32 = 45;
/// Play road building.
pub const ROAD_BUILDING: u32 = 46;
/// Buy a development card.
pub const BUY: u32 = 47;
/// Roll the dice, or after the roll end the turn.
pub const ROLL_OR_END: u32 = 48;

/// The pairs of resources of a year of plenty in their order.
pub const PAIRS: [(u8, u8); 15] = {
    let mut pairs = [(0, 0); 15];
    let (mut pair, mut a) = (0, 0);
    while a < 5 {
        let mut b = a;
        while b < 5 {
            pairs[pair] = (a, b);
            pair += 1;
            b += 1;
        }
        a += 1;
    }
    pairs
};

/// Where a pair of resources, in either order, stands in [`PAIRS`].
#[inline]
#[must_use]
pub const fn pair_number(a: usize, b: usize) -> u32 {
    let (a, b) = if a < b { (a as u32, b as u32) } else { (b as u32, a as u32) };
    // 0, 5, 9, 12, 14 are the pairs (a, a).
    a * (11 - a) / 2 + (b - a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_numbered_in_their_order() {
        for (number, (a, b)) in (0..).zip(PAIRS) {
            assert_eq!(pair_number(a.into(), b.into()), number);
            assert_eq!(pair_number(b.into(), a.into()), number);
        }
    }
}
