//! The slices of one run among several that share a cache.

use std::str::FromStr;

/// One run of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its number, from 1.
    number: u64,
    /// How many runs there are.
    count: u64,
}

impl Shard {
    /// Whether a slice with this key is searched by this run: each is by exactly one, whatever files are given.
    pub fn has(self, key: &str) -> bool {
        let mixed = memo::digest([key.as_bytes()]);
        let low = mixed.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte));
        low % self.count + 1 == self.number
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('/').and_then(|(number, count)| {
            Some(Self { number: number.parse().ok()?, count: count.parse().ok()? })
        });
        parsed
            .filter(|shard| (1..=shard.count).contains(&shard.number))
            .ok_or_else(|| "a shard is I/N, with I from 1 to N".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slice_is_in_one_shard() {
        let shards: Vec<Shard> = ["1/3", "2/3", "3/3"].map(|text| text.parse().expect("a shard")).to_vec();
        let mut sizes = [0; 3];
        for key in 0..300 {
            let key = format!("slice {key}");
            let own: Vec<usize> = (0..3).filter(|at| shards[*at].has(&key)).collect();
            let [own] = own[..] else { panic!("{key} is in {own:?}") };
            sizes[own] += 1;
        }
        assert!(sizes.iter().all(|size| *size > 60), "{sizes:?}");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", "1/"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
