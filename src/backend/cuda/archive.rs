//! Archive of PTX in one file: entries are found by a digest of the text they were compiled from.
//! Texts that resemble each other are compressed together.
//!
//! Layout, little-endian: 8 bytes of magic; the numbers of entries and of groups (u32); the entries,
//! sorted by digest, of a digest (u128), a group and the start and end in it (u32); the groups, each
//! the end of its stream counted from the first one (u32); the streams, LZMA with its header.

use std::io::{self, Read};
use std::ops::Range;

use lzma_rust2::LzmaReader;

const MAGIC: &[u8; 8] = b"swathpt3";
/// A digest, a group, a start and an end.
const ENTRY_BYTES: usize = 28;
/// Bytes of a group from which another one begins: a kernel costs the decompression of its group.
const GROUP_BYTES: usize = 2 << 20;
/// Maximum memory that a stream may ask for.
const MEMORY_KIB: u32 = 64 << 10;

#[derive(Clone, Copy, Debug)]
pub struct Archive<'a> {
    index: &'a [[u8; ENTRY_BYTES]],
    groups: &'a [[u8; 4]],
    streams: &'a [u8],
}

impl<'a> Archive<'a> {
    /// Reads the index; `None` if `bytes` is not an archive, for example empty.
    pub fn of(bytes: &'a [u8]) -> Option<Self> {
        let (entries, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk()?;
        let (groups, rest) = rest.split_first_chunk()?;
        let count = |word: &[u8; 4]| u32::from_le_bytes(*word) as usize;
        let (index, rest) = rest.split_at_checked(count(entries).checked_mul(ENTRY_BYTES)?)?;
        let (groups, streams) = rest.split_at_checked(count(groups).checked_mul(4)?)?;
        let (index, groups) = (index.as_chunks().0, groups.as_chunks().0);
        let is_whole = index.is_sorted_by_key(|entry| parts(entry).0)
            && index.iter().all(|entry| parts(entry).1 < groups.len())
            && groups.is_sorted_by_key(count)
            && groups.last().map_or(0, count) == streams.len();
        is_whole.then_some(Self {
            index,
            groups,
            streams,
        })
    }

    /// Digests of the texts of all entries.
    pub fn digests(&self) -> impl Iterator<Item = u128> {
        self.index.iter().map(|entry| parts(entry).0)
    }

    pub fn has(&self, text: &str) -> bool {
        self.entry(digest(text)).is_some()
    }

    /// The PTX of `text`, if there is an entry for it.
    pub fn get(&self, text: &str) -> Option<io::Result<Vec<u8>>> {
        let (group, range) = self.entry(digest(text))?;
        Some(self.read(group, range))
    }

    fn entry(&self, digest: u128) -> Option<(usize, Range<usize>)> {
        let found = self
            .index
            .binary_search_by_key(&digest, |entry| parts(entry).0);
        let (_, group, range) = parts(&self.index[found.ok()?]);
        Some((group, range))
    }

    fn read(&self, group: usize, range: Range<usize>) -> io::Result<Vec<u8>> {
        let end = |group: usize| u32::from_le_bytes(self.groups[group]) as usize;
        let start = group.checked_sub(1).map_or(0, end);
        let stream = &self.streams[start..end(group)];
        let mut decompressed = LzmaReader::new_mem_limit(stream, MEMORY_KIB, None)?;
        let skipped = io::copy(
            &mut decompressed.by_ref().take(range.start as u64),
            &mut io::sink(),
        )?;
        let mut ptx = Vec::new();
        let wanted = range.end.saturating_sub(range.start);
        decompressed.take(wanted as u64).read_to_end(&mut ptx)?;
        if skipped < range.start as u64 || ptx.len() < wanted {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(ptx)
    }
}

fn parts(entry: &[u8; ENTRY_BYTES]) -> (u128, usize, Range<usize>) {
    let (digest, numbers) = entry.split_at(16);
    let mut of_digest = [0; 16];
    of_digest.copy_from_slice(digest);
    let word = |place: usize| {
        let mut word = [0; 4];
        word.copy_from_slice(&numbers[4 * place..][..4]);
        u32::from_le_bytes(word) as usize
    };
    (u128::from_le_bytes(of_digest), word(0), word(1)..word(2))
}

/// 128-bit FNV-1a.
pub fn digest(text: &str) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    text.bytes().fold(BASIS, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(PRIME)
    })
}

/// Writes an archive of pairs of a text and its PTX. Neighbours are compressed together, by
/// `compress`, which writes LZMA with its header.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if two texts have one digest or the archive would exceed 4 GiB.
pub fn write<'a>(
    entries: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    compress: impl Fn(&[u8]) -> io::Result<Vec<u8>>,
) -> io::Result<Vec<u8>> {
    let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, what);
    let word = |number: usize| {
        let number = u32::try_from(number).map_err(|_| invalid("the archive is too long"))?;
        Ok::<_, io::Error>(number.to_le_bytes())
    };
    let (mut index, mut groups) = (Vec::new(), vec![Vec::new()]);
    for (text, ptx) in entries {
        if groups
            .last()
            .is_some_and(|group| group.len() >= GROUP_BYTES)
        {
            groups.push(Vec::new());
        }
        let position = groups.len() - 1;
        let group = &mut groups[position];
        let start = group.len();
        group.extend_from_slice(ptx);
        index.push((digest(text), [position, start, group.len()]));
    }
    index.sort_unstable();
    if index.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err(invalid("two texts have one digest"));
    }
    let mut archive = MAGIC.to_vec();
    archive.extend(word(index.len())?);
    archive.extend(word(groups.len())?);
    for (digest, numbers) in index {
        archive.extend(digest.to_le_bytes());
        for number in numbers {
            archive.extend(word(number)?);
        }
    }
    let mut streams = Vec::new();
    for group in groups {
        streams.extend(compress(&group)?);
        archive.extend(word(streams.len())?);
    }
    archive.extend(streams);
    Ok(archive)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use lzma_rust2::{LzmaOptions, LzmaWriter};

    use super::*;

    fn write<'a>(entries: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> io::Result<Vec<u8>> {
        super::write(entries, |group| {
            let (options, size) = (LzmaOptions::with_preset(0), Some(group.len() as u64));
            let mut stream = LzmaWriter::new_use_header(Vec::new(), &options, size)?;
            stream.write_all(group)?;
            stream.finish()
        })
    }

    const ENTRIES: [(&str, &[u8]); 4] = [
        ("b", b"ptx of b"),
        ("", b""),
        ("a", &[7; 5000]),
        ("ab", b"ptx"),
    ];

    #[test]
    fn archive_has_no_entry_for_another_text() {
        let bytes = write(ENTRIES).expect("it is written");
        let archive = Archive::of(&bytes).expect("it is one");
        assert!(archive.has("ab") && !archive.has("c") && archive.get("c").is_none());
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
                    [&MAGIC[..], &[0; 8], bytes].concat(),
                ] {
                    if let Some(archive) = Archive::of(&bytes) {
                        assert_eq!(
                            archive.digests().count(),
                            archive
                                .digests()
                                .filter(|it| archive.entry(*it).is_some())
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
