//! Decompression of gzip members and zstd frames, recognised by their first bytes.

use std::io::{self, BufRead, ErrorKind, Read};

use flate2::bufread::GzDecoder;
use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::memory::{Memory, OutOfMemory, probe};

pub const MAGIC_LEN: usize = 6;
pub const GZIP_MAGIC: &[u8] = b"\x1f\x8b";
pub const ZSTD_MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";
/// Maximum window of a zstd frame, as in the `zstd` command without `--long`.
const MAX_WINDOW: u64 = 128 << 20;
const FRAME_HEADER: usize = 6;

/// Unsupported formats: magic bytes, name, and a command that decompresses to stdout.
const UNSUPPORTED: [(&[u8], &str, &str); 12] = [
    (b"BZh", "bzip2", "bzip2 -dc"),
    (b"\xfd7zXZ\0", "xz", "xz -dc"),
    (b"\x04\x22\x4d\x18", "lz4", "lz4 -dc"),
    (b"\x02\x21\x4c\x18", "lz4", "lz4 -dc"),
    (b"PK\x03\x04", "zip", "unzip -p"),
    (b"PK\x05\x06", "zip", "unzip -p"),
    (b"PK\x07\x08", "zip", "unzip -p"),
    (b"LZIP\x01", "lzip", "lzip -dc"),
    (b"\x89LZO\0\r", "lzop", "lzop -dc"),
    (b"Rar!\x1a\x07", "rar", "unrar p -inul"),
    (b"7z\xbc\xaf\x27\x1c", "7z", "7z x -so"),
    (b"\x1f\x9d", "compress", "gzip -dc"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    pub fn of(head: &[u8]) -> Option<Self> {
        if head.starts_with(GZIP_MAGIC) {
            Some(Compression::Gzip)
        } else if head.starts_with(ZSTD_MAGIC) || is_skippable(head) {
            Some(Compression::Zstd)
        } else {
            None
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }
}

pub fn unsupported(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let found = UNSUPPORTED.iter().find(|(magic, ..)| {
        // bzip2's level follows `BZh`, which a text may begin with too.
        head.starts_with(magic) && (magic != b"BZh" || matches!(head.get(3), Some(b'1'..=b'9')))
    });
    found.map(|&(_, format, program)| (format, program))
}

fn is_skippable(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Concatenated gzip members. Zeros after the last are padding, as on tapes.
pub struct Members<R> {
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    pub fn new(file: R) -> Self {
        Self {
            member: Some(GzDecoder::new(file)),
        }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            if let Some(ended) = self.member.take() {
                let mut file = ended.into_inner();
                self.member = is_another(&mut file)?.then(|| GzDecoder::new(file));
            }
        }
        Ok(0)
    }
}

fn is_another(file: &mut impl BufRead) -> io::Result<bool> {
    if file.fill_buf()?.first() != Some(&0) {
        return Ok(!file.fill_buf()?.is_empty());
    }
    loop {
        let padding = file.fill_buf()?;
        let len = padding.len();
        if len == 0 {
            return Ok(false);
        }
        if padding.iter().any(|&byte| byte != 0) {
            return Err(io::Error::other(
                "something that is no gzip data follows it",
            ));
        }
        file.consume(len);
    }
}

/// Concatenated zstd frames. Skippable frames are skipped, sizes and checksums verified.
pub struct Frames<R> {
    file: R,
    decoder: FrameDecoder,
    /// Bytes read of the current frame; `None` between frames.
    frame: Option<u64>,
    name: String,
    memory: Memory,
}

impl<R: BufRead> Frames<R> {
    pub fn new(file: R, name: String, memory: Memory) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Self {
            file,
            decoder,
            frame: None,
            name,
            memory,
        }
    }

    /// `false` at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        if self.file.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let mut head = [0; FRAME_HEADER];
        self.file.read_exact(&mut head)?;
        if is_skippable(&head) {
            let mut rest = [0; 2];
            self.file.read_exact(&mut rest)?;
            let len = u32::from_le_bytes([head[4], head[5], rest[0], rest[1]]);
            let skipped = io::copy(&mut self.file.by_ref().take(len.into()), &mut io::sink())?;
            return if skipped == u64::from(len) {
                Ok(true)
            } else {
                Err(ErrorKind::UnexpectedEof.into())
            };
        }
        // The decoder cannot report a failed allocation of the window.
        if head[4] & 0x20 == 0 {
            let window = window(head[5]).min(MAX_WINDOW);
            probe(&self.name, window).map_err(|refusal| self.memory.refuse(refusal))?;
        }
        let header = (&head[..]).chain(&mut self.file);
        self.decoder.reset(header).map_err(|error| match error {
            FrameDecoderError::WindowSizeTooBig { requested, max } => {
                self.memory.refuse(OutOfMemory::Window {
                    name: self.name.clone(),
                    window: requested,
                    max,
                })
            }
            error => io::Error::other(error),
        })?;
        self.frame = Some(0);
        Ok(true)
    }

    fn end(&mut self, read: u64) -> io::Result<()> {
        self.frame = None;
        let expected = self.decoder.content_size();
        if expected > 0 && expected != read {
            return Err(io::Error::other(format!(
                "a frame has {read} bytes and not {expected}"
            )));
        }
        let checksum = self.decoder.get_checksum_from_data();
        if checksum.is_some() && checksum != self.decoder.get_calculated_checksum() {
            return Err(io::Error::other("the checksum differs"));
        }
        Ok(())
    }
}

fn window(descriptor: u8) -> u64 {
    let base = 1u64 << (10 + (descriptor >> 3));
    base + base / 8 * u64::from(descriptor & 7)
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(read) = self.frame else {
                if self.begin()? {
                    continue;
                }
                return Ok(0);
            };
            if self.decoder.can_collect() > 0 {
                let count = self.decoder.read(buffer)?;
                self.frame = Some(read + count as u64);
                return Ok(count);
            }
            if self.decoder.is_finished() {
                self.end(read)?;
                continue;
            }
            let block = BlockDecodingStrategy::UptoBlocks(1);
            self.decoder
                .decode_blocks(&mut self.file, block)
                .map_err(io::Error::other)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn read(file: &[u8]) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        Frames::new(file, "a".into(), Memory::new(1 << 30)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn frame(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    #[test]
    fn frames_are_read_one_after_the_other_and_skippable_ones_skipped() {
        let skippable = b"\x5a\x2a\x4d\x18\x03\0\0\0xyz";
        let all = [
            skippable,
            &frame(b"ACGT")[..],
            skippable,
            &frame(b""),
            &frame(b"TT"),
        ]
        .concat();
        assert_eq!(Compression::of(&all), Some(Compression::Zstd));
        assert_eq!(read(&all).expect("frames"), b"ACGTTT");
        assert!(read(&skippable[..9]).is_err() && read(b"\x28\xb5").is_err());
    }

    #[test]
    fn a_damaged_or_cut_frame_is_an_error() {
        let text: Vec<u8> = (0..100_000u32)
            .map(|i| b"ACGT"[(i.wrapping_mul(i) % 7 % 4) as usize])
            .collect();
        let whole = frame(&text);
        assert_eq!(read(&whole).expect("a frame"), text);
        for len in [whole.len() - 1, whole.len() - 4, whole.len() / 2, 5] {
            assert!(read(&whole[..len]).is_err(), "{len}");
        }
        let mut other_checksum = whole.clone();
        *other_checksum.last_mut().expect("a byte") ^= 1;
        assert!(read(&other_checksum).is_err());
        assert!(read(&[&whole[..], b"more"].concat()).is_err());
    }

    #[test]
    fn a_window_that_is_too_large_names_the_command_that_reads_it() {
        // A window of 256 MiB (exponent 18), then a raw last block of one byte.
        let head = [ZSTD_MAGIC, &[0, 18 << 3, 0x09, 0, 0, b'A']].concat();
        let error = read(&head).expect_err("a large window").to_string();
        assert!(error.contains("zstd -dc --long=31 a"), "{error}");
        let small = [ZSTD_MAGIC, &[0, 17 << 3, 0x09, 0, 0, b'A']].concat();
        assert_eq!(read(&small).expect("128 MiB"), b"A");
    }

    #[test]
    fn unsupported_formats_are_named() {
        for (head, program) in [
            (&b"BZh91AY&SY"[..], "bzip2 -dc"),
            (b"PK\x03\x04", "unzip -p"),
            (b"\x1f\x9d\x90", "gzip -dc"),
        ] {
            assert_eq!(unsupported(head).map(|found| found.1), Some(program));
        }
        for text in [
            &b"BZ"[..],
            b"BZhello",
            b"PK",
            b"7z",
            b">7z",
            b"LZIP",
            b"Rar!",
        ] {
            assert_eq!((unsupported(text), Compression::of(text)), (None, None));
        }
    }
}
