//! Scaling of whole numbers, where the compiler's own division of 128 bits would be a kilobyte to download.

/// `n * by / of`, rounded down, as if the product had all the room it needs; [`u64::MAX`] where the result has not, and by
/// nothing at all.
pub(crate) fn scaled(n: u64, by: u64, of: u64) -> u64 {
    if let Some(product) = n.checked_mul(by) {
        return product.checked_div(of).unwrap_or(u64::MAX);
    }
    let product = u128::from(n) * u128::from(by);
    let (mut rest, low) = ((product >> 64) as u64, product as u64);
    if rest >= of {
        return u64::MAX;
    }
    // Division by hand, a bit at a time.
    let mut quotient = 0;
    for bit in (0..64).rev() {
        let over = rest >> 63 == 1;
        rest = rest << 1 | low >> bit & 1;
        quotient <<= 1;
        if over || rest >= of {
            rest = rest.wrapping_sub(of);
            quotient |= 1;
        }
    }
    quotient
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_division_of_128_bits_gives() {
        let some =
            [0, 1, 2, 3, 7, 1_000, 7_700, 1 << 32, 86_400_000_000_000, u64::MAX / 3, u64::MAX];
        for n in some {
            for by in some {
                assert_eq!(scaled(n, by, 0), u64::MAX);
                for of in some.into_iter().filter(|of| *of > 0) {
                    let exact = u128::from(n) * u128::from(by) / u128::from(of);
                    let expected = u64::try_from(exact).unwrap_or(u64::MAX);
                    assert_eq!(scaled(n, by, of), expected, "{n} * {by} / {of}");
                }
            }
        }
    }
}
