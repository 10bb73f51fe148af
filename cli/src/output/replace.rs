//! A file that is written beside another and takes its place when it is whole.

use std::fs::{self, File, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::leftovers::{PREFIX, SUFFIX};

/// Links that are followed at most.
const MOST_LINKS: usize = 40;

/// What is written: on Linux a file without a name, which nothing has to remove when the process is killed; where the file system
/// has none, one with a name and a lock, so that a later run can tell that its maker is gone.
pub enum Draft {
    #[cfg(target_os = "linux")]
    Unnamed {
        file: File,
        folder: PathBuf,
    },
    Named(NamedTempFile),
}

impl Draft {
    /// A draft in the folder of `path`.
    pub fn beside(path: &Path) -> io::Result<Self> {
        let folder = folder(path);
        #[cfg(target_os = "linux")]
        if let Some(file) = linux::unnamed(folder)? {
            return Ok(Draft::Unnamed {
                file,
                folder: folder.to_path_buf(),
            });
        }
        let mut builder = builder();
        if let Some(permissions) = usual_permissions() {
            builder.permissions(permissions);
        }
        let named = builder.tempfile_in(folder)?;
        lock(named.as_file());
        Ok(Draft::Named(named))
    }

    /// What to write to.
    pub fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Draft::Unnamed { file, .. } => file,
            Draft::Named(file) => file.as_file(),
        }
    }

    /// Puts the draft where `path` is, with the permissions of what was there.
    pub fn take_the_place_of(self, path: &Path) -> io::Result<()> {
        if let Ok(old) = fs::metadata(path) {
            self.file().set_permissions(old.permissions())?;
        }
        match self {
            #[cfg(target_os = "linux")]
            Draft::Unnamed { file, folder } => {
                // A file that has a name already can only be replaced by one that has a name too.
                lock(&file);
                let named = builder().make_in(folder, |name| linux::give_name(&file, name))?;
                named.persist(path).map_err(|error| error.error)?;
            }
            Draft::Named(file) => {
                file.persist(path).map_err(|error| error.error)?;
            }
        }
        Ok(())
    }
}

/// Names of drafts.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    builder
}

/// Keeps other runs from removing the file. Where the file system has no locks they do not remove anything either.
fn lock(file: &File) {
    let _ = file.try_lock();
}

/// The folder that a file is in.
pub fn folder(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| *folder != Path::new(""))
        .unwrap_or(Path::new("."))
}

/// The file behind links, so that the links stay; it need not be there yet.
pub fn target(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&path) else {
            break;
        };
        path = folder(&path).join(next);
    }
    fs::canonicalize(&path).unwrap_or(path)
}

/// What the umask is applied to; tempfile's own choice is private to the user.
#[cfg(unix)]
fn usual_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual_permissions() -> Option<Permissions> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use rustix::io::Errno;

    /// A file in `folder` without a name; none where the file system or a missing /proc does not allow it.
    pub fn unnamed(folder: &Path) -> io::Result<Option<File>> {
        let mode = Mode::from_raw_mode(0o666);
        match open(
            folder,
            OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC,
            mode,
        ) {
            Ok(file) => {
                let file = File::from(file);
                Ok(by_descriptor(&file).exists().then_some(file))
            }
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::INVAL) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives the file a name that nothing has.
    pub fn give_name(file: &File, name: &Path) -> io::Result<()> {
        Ok(linkat(
            CWD,
            by_descriptor(file),
            CWD,
            name,
            AtFlags::SYMLINK_FOLLOW,
        )?)
    }

    fn by_descriptor(file: &File) -> PathBuf {
        format!("/proc/self/fd/{}", file.as_raw_fd()).into()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("it is there").flatten();
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_draft_has_no_name_until_it_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        for text in ["first", "second"] {
            let before = names(folder.path());
            let draft = Draft::beside(&path).expect("a draft");
            draft
                .file()
                .write_all(text.as_bytes())
                .expect("it is written");
            assert_eq!(names(folder.path()), before, "a kill leaves nothing here");
            draft.take_the_place_of(&path).expect("it takes the place");
            assert_eq!(names(folder.path()), ["out"]);
            assert_eq!(fs::read_to_string(&path).expect("it is there"), text);
        }
    }

    #[test]
    fn a_draft_with_a_name_is_locked_and_goes_where_it_is_not_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        let named = || {
            let draft = builder().tempfile_in(folder.path()).expect("a draft");
            lock(draft.as_file());
            draft
        };
        let draft = named();
        assert!(
            File::open(draft.path())
                .expect("it is there")
                .try_lock()
                .is_err()
        );
        drop(Draft::Named(draft));
        assert_eq!(names(folder.path()), [""; 0]);
        Draft::Named(named())
            .take_the_place_of(&path)
            .expect("it takes the place");
        assert_eq!(names(folder.path()), ["out"]);
    }
}
