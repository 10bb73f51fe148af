//! On-disk cache of the user: compiled kernels, so that each is compiled once, and device profiles.
//!
//! A file contains its full key and a checksum, so that a damaged, incomplete or unrelated file is
//! never used. Files unused for months are removed when another one is written.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const SIGNATURE: &[u8; 8] = b"swathcu1";

/// Extension of complete files.
const EXTENSION: &str = "bin";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const RETENTION: Duration = Duration::from_secs(180 * DAY.as_secs());

/// A folder of files addressed by the digest of their key.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// The cache of this name in the user's cache folder; without such a folder it stores nothing.
    pub(crate) fn for_user(name: &str) -> Self {
        let variable = |name| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|folder| folder.is_absolute())
        };
        let folder = if cfg!(windows) {
            variable("LOCALAPPDATA")
        } else if cfg!(target_vendor = "apple") {
            variable("HOME").map(|home| home.join("Library").join("Caches"))
        } else {
            variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")))
        };
        Self {
            folder: folder.map(|folder| folder.join("swath").join(name)),
        }
    }

    /// The content stored for `key`, else the result of `make`. An unusable cache costs time only.
    #[cfg(any(test, feature = "cuda"))]
    pub(crate) fn get<E>(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Vec<u8>, E> {
        if let Some(code) = self.load(key) {
            return Ok(code);
        }
        let code = make()?;
        self.store(key, &code);
        Ok(code)
    }

    pub(crate) fn load(&self, key: &str) -> Option<Vec<u8>> {
        let file = self.file(key)?;
        let content = read(&file, key)?;
        mark_used(&file, SystemTime::now());
        Some(content)
    }

    /// Stores the content for `key`, replacing the previous one.
    pub(crate) fn store(&self, key: &str, content: &[u8]) {
        if self
            .file(key)
            .is_some_and(|file| write(&file, key, content).is_ok())
        {
            self.trim(SystemTime::now());
        }
    }

    #[cfg(all(test, feature = "gpu"))]
    pub(crate) fn remove(&self, key: &str) {
        let _ = self.file(key).map(std::fs::remove_file);
    }

    fn file(&self, key: &str) -> Option<PathBuf> {
        self.folder
            .as_ref()
            .map(|folder| folder.join(format!("{:016x}.{EXTENSION}", digest(key.as_bytes()))))
    }

    /// Removes files that were unused for [`RETENTION`]; only files of this cache.
    fn trim(&self, now: SystemTime) {
        let files = self
            .folder
            .as_ref()
            .and_then(|folder| std::fs::read_dir(folder).ok())
            .into_iter()
            .flatten();
        for file in files.flatten() {
            let is_old = |file: &std::fs::DirEntry| {
                let metadata = file.metadata().ok()?;
                Some(
                    metadata.is_file()
                        && now.duration_since(metadata.modified().ok()?).ok()? > RETENTION,
                )
            };
            if is_old(&file) == Some(true) && is_cache_file(&file.path()) {
                let _ = std::fs::remove_file(file.path());
            }
        }
    }
}

/// Returns `true` if the file is an entry or a draft of this cache, by its name and its signature
/// as far as written.
fn is_cache_file(file: &Path) -> bool {
    let name = file
        .file_name()
        .and_then(|name| name.to_str())
        .and_then(|name| name.split_once('.'));
    let is_hexadecimal = |digits: &str| {
        !digits.is_empty()
            && digits
                .bytes()
                .all(|digit| b"0123456789abcdef".contains(&digit))
    };
    let is_draft = |extension: &str| {
        extension
            .split_once('-')
            .is_some_and(|(process, thread)| is_hexadecimal(process) && is_hexadecimal(thread))
    };
    let named = name.is_some_and(|(digest, extension)| {
        digest.len() == 16
            && is_hexadecimal(digest)
            && (extension == EXTENSION || is_draft(extension))
    });
    let mut first = Vec::new();
    let mut begin = || {
        std::fs::File::open(file)?
            .take(SIGNATURE.len() as u64)
            .read_to_end(&mut first)
    };
    named && begin().is_ok() && SIGNATURE.starts_with(&first)
}

/// Updates the file's modification time, at most once a day.
fn mark_used(file: &Path, now: SystemTime) {
    let modified = std::fs::metadata(file).and_then(|metadata| metadata.modified());
    let is_recent = |modified: SystemTime| now.duration_since(modified).is_ok_and(|age| age < DAY);
    if !modified.is_ok_and(is_recent) {
        // On failure the file expires and is created again.
        let _ = std::fs::File::options()
            .write(true)
            .open(file)
            .and_then(|file| file.set_modified(now));
    }
}

/// Digest that is stable across runs and programs.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// The content of a file if its key and checksum match.
fn read(file: &Path, key: &str) -> Option<Vec<u8>> {
    let bytes = std::fs::read(file).ok()?;
    let rest = bytes.strip_prefix(SIGNATURE)?;
    let (key_length, rest) = rest.split_first_chunk()?;
    let (known, rest) =
        rest.split_at_checked(usize::try_from(u64::from_le_bytes(*key_length)).ok()?)?;
    let (code_digest, code) = rest.split_first_chunk()?;
    (known == key.as_bytes() && u64::from_le_bytes(*code_digest) == digest(code))
        .then(|| code.to_vec())
}

/// Writes atomically: a draft is renamed into place.
fn write(file: &Path, key: &str, code: &[u8]) -> std::io::Result<()> {
    std::fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
    let thread = digest(format!("{:?}", std::thread::current().id()).as_bytes());
    let draft = file.with_extension(format!("{}-{thread:x}", std::process::id()));
    let written = std::fs::File::create_new(&draft).and_then(|mut to| {
        to.write_all(SIGNATURE)?;
        to.write_all(&(key.len() as u64).to_le_bytes())?;
        to.write_all(key.as_bytes())?;
        to.write_all(&digest(code).to_le_bytes())?;
        to.write_all(code)
    });
    let placed = written.and_then(|()| std::fs::rename(&draft, file));
    if placed.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Temporary folder of a test, removed on drop.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            Self(std::env::temp_dir().join(format!("swath-cache-{name}-{}", std::process::id())))
        }

        fn cache(&self) -> Cache {
            Cache {
                folder: Some(self.0.clone()),
            }
        }

        fn files(&self) -> Vec<PathBuf> {
            let files = std::fs::read_dir(&self.0).into_iter().flatten();
            files
                .map(|file| file.expect("it is listed").path())
                .collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn made(code: &[u8]) -> impl FnOnce() -> Result<Vec<u8>, ()> {
        let code = code.to_vec();
        || Ok(code)
    }

    fn not_made() -> Result<Vec<u8>, ()> {
        Err(())
    }

    #[test]
    fn cache_makes_content_once_per_key() {
        let folder = Folder::new("keys");
        for key in ["text, flags, driver 1", "text, flags, driver 2"] {
            assert_eq!(folder.cache().get(key, not_made), Err(()));
            assert_eq!(
                folder.cache().get(key, made(key.as_bytes())),
                Ok(key.as_bytes().to_vec())
            );
        }
        assert_eq!(
            folder.cache().get("text, flags, driver 1", not_made),
            Ok(b"text, flags, driver 1".to_vec())
        );
        assert_eq!(folder.files().len(), 2);
    }

    #[test]
    fn cache_replaces_damaged_and_foreign_files() {
        let folder = Folder::new("damage");
        folder.cache().get("key", made(b"some code")).expect("made");
        let file = folder.files().remove(0);
        let whole = std::fs::read(&file).expect("it is there");
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            std::fs::write(&file, &damaged).expect("written");
            assert_eq!(read(&file, "key"), None, "byte {place}");
            std::fs::write(&file, &whole[..place]).expect("written");
            assert_eq!(read(&file, "key"), None, "cut at {place}");
        }
        std::fs::write(&file, &whole).expect("written");
        assert_eq!(
            (read(&file, "key"), read(&file, "kez")),
            (Some(b"some code".to_vec()), None)
        );
    }

    #[test]
    fn cache_reads_any_file_safely_and_round_trips() {
        let folder = Folder::new("any");
        std::fs::create_dir_all(&folder.0).expect("the folder is made");
        let file = folder.0.join("any.bin");
        bolero::check!()
            .with_type::<(Vec<u8>, String, Vec<u8>)>()
            .for_each(|(bytes, key, code)| {
                for bytes in [
                    bytes.clone(),
                    [&SIGNATURE[..], bytes].concat(),
                    [&SIGNATURE[..], &[0; 8], bytes].concat(),
                ] {
                    std::fs::write(&file, &bytes).expect("written");
                    // The checksum precedes the content.
                    assert!(read(&file, key).is_none_or(
                        |code| bytes.ends_with(&code) && bytes.len() >= code.len() + 24
                    ));
                }
                write(&file, key, code).expect("written");
                assert_eq!(read(&file, key).as_ref(), Some(code));
                assert_eq!(read(&file, &format!("{key}.")), None);
            });
    }

    #[test]
    fn cache_store_replaces_previous_content() {
        let folder = Folder::new("kept");
        for content in [&b"one"[..], b"another", b""] {
            folder.cache().store("key", content);
            assert_eq!(folder.cache().load("key").as_deref(), Some(content));
        }
        assert_eq!(
            (folder.files().len(), folder.cache().load("another key")),
            (1, None)
        );
    }

    fn age(file: &Path, age: Duration) {
        let file = std::fs::File::options()
            .write(true)
            .open(file)
            .expect("it is there");
        file.set_modified(SystemTime::now() - age)
            .expect("it takes a time");
    }

    #[test]
    fn cache_removes_files_unused_for_months() {
        let (folder, months) = (Folder::new("trim"), RETENTION + DAY);
        let keys = ["unused", "used", "young"];
        for key in keys {
            folder.cache().store(key, key.as_bytes());
        }
        let [unused, used, young] =
            keys.map(|key| folder.cache().file(key).expect("it has a folder"));
        let draft = folder.0.join("00112233445566ff.1234-5a");
        std::fs::write(&draft, &SIGNATURE[..5]).expect("written");
        for file in [&unused, &used, &draft] {
            age(file, months);
        }
        age(&young, RETENTION - DAY);
        assert_eq!(folder.cache().load("used").as_deref(), Some(&b"used"[..]));
        folder.cache().store("another", b"another");
        assert_eq!(
            [&unused, &used, &young, &draft].map(|file| file.exists()),
            [false, true, true, false]
        );
        assert_eq!(folder.files().len(), 3);
    }

    #[test]
    fn cache_keeps_files_that_are_not_its_own() {
        let folder = Folder::new("others");
        std::fs::create_dir_all(folder.0.join("0011223344556677.bin")).expect("the folder is made");
        let contents = [
            SIGNATURE.to_vec(),
            [&SIGNATURE[..], b"code"].concat(),
            b"other".to_vec(),
            b"swath".to_vec(),
        ];
        let names = [
            "notes.txt",
            "0011223344556677",
            "001122334455667.bin",
            "0011223344556677.bin.old",
            "README",
        ];
        for (name, content) in names.into_iter().zip(contents.iter().cycle()) {
            std::fs::write(folder.0.join(name), content).expect("written");
        }
        // Named like an entry, with other content.
        std::fs::write(folder.0.join("8899aabbccddeeff.bin"), "a file of somebody")
            .expect("written");
        for file in folder.files().iter().filter(|file| file.is_file()) {
            age(file, 2 * RETENTION);
        }
        let before = folder.files().len();
        folder.cache().store("key", b"code");
        assert_eq!(folder.files().len(), before + 1);
    }

    #[test]
    fn cache_without_a_folder_stores_nothing() {
        let cache = Cache { folder: None };
        assert_eq!(cache.get("key", made(b"code")), Ok(b"code".to_vec()));
        assert_eq!(cache.get("key", not_made), Err(()));
    }
}
