//! Archive of PTX in one file: each entry is compressed separately and found by a digest of the
//! text it was compiled from.
//!
//! Layout, little-endian: 8 bytes of magic; the number of entries (u32); the index, sorted by
//! digest, of a digest (u128) and the end of the entry counted from the end of the index (u32); the
//! entries, as raw DEFLATE streams.

use std::io::{self, Read, Write};
use std::ops::Range;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

const MAGIC: &[u8; 8] = b"swathpt2";
/// A digest and an end.
const INDEX_ENTRY_BYTES: usize = 20;

/// An archive in memory.
#[derive(Clone, Copy, Debug)]
pub struct Archive<'a> {
    index: &'a [[u8; INDEX_ENTRY_BYTES]],
    entries: &'a [u8],
}

impl<'a> Archive<'a> {
    /// Reads the index; `None` if `bytes` is not an archive, for example empty.
    pub fn of(bytes: &'a [u8]) -> Option<Self> {
        let (count, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk()?;
        let index_bytes = (u32::from_le_bytes(*count) as usize).checked_mul(INDEX_ENTRY_BYTES)?;
        let (index, entries) = rest.split_at_checked(index_bytes)?;
        let index = index.as_chunks().0;
        let ends = || index.iter().map(|indexed| parts(indexed).1);
        let ordered = index.is_sorted_by_key(|indexed| parts(indexed).0) && ends().is_sorted();
        (ordered && ends().next_back().unwrap_or(0) == entries.len())
            .then_some(Self { index, entries })
    }

    /// Digests of the texts of all entries.
    pub fn digests(&self) -> impl Iterator<Item = u128> {
        self.index.iter().map(|indexed| parts(indexed).0)
    }

    /// True if there is an entry for `text`.
    pub fn has(&self, text: &str) -> bool {
        self.range(digest(text)).is_some()
    }

    /// The PTX of `text`, if there is an entry for it.
    pub fn get(&self, text: &str) -> Option<io::Result<Vec<u8>>> {
        let mut ptx = Vec::new();
        let read =
            DeflateDecoder::new(&self.entries[self.range(digest(text))?]).read_to_end(&mut ptx);
        Some(read.map(|_| ptx))
    }

    fn range(&self, digest: u128) -> Option<Range<usize>> {
        let place = self
            .index
            .binary_search_by_key(&digest, |indexed| parts(indexed).0)
            .ok()?;
        let start = place
            .checked_sub(1)
            .map_or(0, |before| parts(&self.index[before]).1);
        Some(start..parts(&self.index[place]).1)
    }
}

fn parts(indexed: &[u8; INDEX_ENTRY_BYTES]) -> (u128, usize) {
    let [digest @ .., e0, e1, e2, e3] = *indexed;
    (
        u128::from_le_bytes(digest),
        u32::from_le_bytes([e0, e1, e2, e3]) as usize,
    )
}

/// 128-bit FNV-1a.
pub fn digest(text: &str) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    text.bytes().fold(BASIS, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(PRIME)
    })
}

/// Writes an archive of pairs of a text and its PTX; their order does not matter.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if two texts have one digest or the archive would exceed 4 GiB.
pub fn write<'a>(entries: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> io::Result<Vec<u8>> {
    let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, what);
    let mut entries: Vec<_> = entries
        .into_iter()
        .map(|(text, ptx)| (digest(text), ptx))
        .collect();
    entries.sort_unstable();
    if entries.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err(invalid("two texts have one digest"));
    }
    let too_long = |_| invalid("the archive is too long");
    let mut archive = MAGIC.to_vec();
    archive.extend(
        u32::try_from(entries.len())
            .map_err(too_long)?
            .to_le_bytes(),
    );
    let mut streams = Vec::new();
    for (digest, ptx) in entries {
        let mut encoder = DeflateEncoder::new(&mut streams, Compression::best());
        encoder.write_all(ptx)?;
        encoder.finish()?;
        archive.extend(digest.to_le_bytes());
        archive.extend(
            u32::try_from(streams.len())
                .map_err(too_long)?
                .to_le_bytes(),
        );
    }
    archive.extend(streams);
    Ok(archive)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRIES: [(&str, &[u8]); 4] = [
        ("b", b"ptx of b"),
        ("", b""),
        ("a", &[7; 5000]),
        ("ab", b"ptx"),
    ];

    #[test]
    fn archive_entries_are_found_by_their_text_in_any_order() {
        let bytes = write(ENTRIES).expect("it is written");
        assert_eq!(
            write(ENTRIES.into_iter().rev()).expect("it is written"),
            bytes
        );
        let archive = Archive::of(&bytes).expect("it is one");
        for (text, ptx) in ENTRIES {
            assert_eq!(
                archive.get(text).expect("it is here").expect("it is whole"),
                ptx
            );
        }
        assert!(!archive.has("c") && archive.get("c").is_none());
        assert_eq!(archive.digests().count(), ENTRIES.len());
        let none = write([]).expect("it is written");
        assert!(Archive::of(&none).is_some_and(|archive| archive.get("a").is_none()));
    }

    #[test]
    fn archive_rejects_a_duplicate_text() {
        assert!(write([("a", &b"one"[..]), ("a", b"other")]).is_err());
    }

    #[test]
    fn truncated_archive_is_rejected_and_a_damaged_one_does_not_panic() {
        let bytes = write(ENTRIES).expect("it is written");
        assert!((0..bytes.len()).all(|length| Archive::of(&bytes[..length]).is_none()));
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x81;
            if let Some(archive) = Archive::of(&damaged) {
                ENTRIES.iter().for_each(|(text, _)| drop(archive.get(text)));
            }
        }
    }

    #[test]
    fn archive_parses_any_bytes_without_panic_and_round_trips_entries() {
        type Entries = Vec<(String, Vec<u8>)>;
        bolero::check!()
            .with_type::<(Vec<u8>, Entries, usize, u8)>()
            .for_each(|(bytes, entries, place, flipped)| {
                for bytes in [
                    bytes.clone(),
                    [&MAGIC[..], bytes].concat(),
                    [&MAGIC[..], &[0; 4], bytes].concat(),
                ] {
                    if let Some(archive) = Archive::of(&bytes) {
                        assert_eq!(
                            archive.digests().count(),
                            archive
                                .digests()
                                .filter(|it| archive.range(*it).is_some())
                                .count()
                        );
                        archive.get("");
                    }
                }
                let Ok(mut written) =
                    write(entries.iter().map(|(text, ptx)| (&text[..], &ptx[..])))
                else {
                    return;
                };
                let archive = Archive::of(&written).expect("it was written so");
                for (text, ptx) in entries {
                    assert_eq!(
                        &archive.get(text).expect("it is here").expect("it is whole"),
                        ptx,
                        "{text:?}"
                    );
                }
                let place = place % written.len();
                written[place] ^= flipped;
                if let Some(archive) = Archive::of(&written) {
                    entries.iter().for_each(|(text, _)| drop(archive.get(text)));
                }
            });
    }

    #[test]
    fn digest_matches_published_fnv_test_vectors() {
        // http://www.isthe.com/chongo/tech/comp/fnv: test vectors of FNV-1a.
        assert_eq!(digest(""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(digest("foobar"), 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }
}
