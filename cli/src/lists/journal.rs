//! Journal of an unfinished file: where its whole blocks end, and what call they are of.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use super::fingerprint::Fingerprint;
use super::label::json_line;

const SCHEMA: &str = "swath/progress/3";

/// End of the whole blocks of an unfinished file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Position of the first pair or text that is not in the file.
    pub next: u64,
    pub bytes: u64,
    pub rows: u64,
    /// Hash of the texts before `next`, which are not in the [`Fingerprint`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    schema: String,
    call: Fingerprint,
}

/// A line for the call, and one for each checkpoint.
pub struct Journal {
    path: PathBuf,
    call: Fingerprint,
    /// Opened by the first checkpoint.
    file: Option<File>,
    pub last: Option<Checkpoint>,
}

impl Journal {
    /// The journal of an earlier run is removed.
    pub fn begin(path: PathBuf, call: Fingerprint) -> anyhow::Result<Self> {
        remove(&path)?;
        Ok(Self {
            path,
            call,
            file: None,
            last: None,
        })
    }

    /// Goes on with the journal of an earlier run, whose file has `size_bytes`. Without a usable
    /// checkpoint the work begins anew.
    ///
    /// # Errors
    /// If the earlier call had other inputs or options.
    pub fn resume(path: PathBuf, call: Fingerprint, size_bytes: u64) -> anyhow::Result<Self> {
        let shown = path.display();
        let text = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Self::begin(path, call);
            }
            text => text.with_context(|| format!("cannot read {shown}"))?,
        };
        // The end of the last line may be missing.
        let mut lines = text
            .split_inclusive(|&byte| byte == b'\n')
            .filter(|line| line.ends_with(b"\n"));
        let Some(first) = lines.next() else {
            return Self::begin(path, call);
        };
        let head = serde_json::from_slice(first).ok();
        let Some(head) = head.filter(|head: &Head| head.schema == SCHEMA) else {
            bail!("{shown}:1: not the journal of an unfinished run; remove it, or drop --resume");
        };
        if let Some(difference) = difference(&head.call, &call) {
            bail!(
                "--resume: {shown} is of another call, {difference}; repeat that call, or drop --resume"
            );
        }
        let mut len = first.len() as u64;
        let whole = lines.map_while(|line| {
            let checkpoint: Checkpoint = serde_json::from_slice(line).ok()?;
            len += line.len() as u64;
            (checkpoint.bytes <= size_bytes).then_some((checkpoint, len))
        });
        let Some((last, len)) = whole.last() else {
            return Self::begin(path, call);
        };
        let file = File::options().append(true).open(&path);
        let file = file.and_then(|file| file.set_len(len).map(|()| file));
        Ok(Self {
            file: Some(file.with_context(|| format!("cannot write {shown}"))?),
            path,
            call,
            last: Some(last),
        })
    }

    /// Adds a checkpoint, once what is before it is in the file.
    pub fn record(&mut self, checkpoint: Checkpoint) -> anyhow::Result<()> {
        let path = &self.path;
        let unwritten = || format!("cannot write {}", path.display());
        let mut lines = Vec::new();
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let head = Head {
                    schema: SCHEMA.to_string(),
                    call: self.call.clone(),
                };
                json_line(&head, &mut lines)?;
                none.insert(File::create(path).with_context(unwritten)?)
            }
        };
        json_line(&checkpoint, &mut lines)?;
        file.write_all(&lines).with_context(unwritten)?;
        self.last = Some(checkpoint);
        Ok(())
    }

    pub fn remove(self) -> anyhow::Result<()> {
        remove(&self.path)
    }
}

fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

fn difference(before: &Fingerprint, now: &Fingerprint) -> Option<String> {
    let value = |call: &Fingerprint, name: &str| {
        let found = call.iter().find(|(other, _)| other == name);
        found.map_or("nothing".to_string(), |(_, value)| value.clone())
    };
    let names = before.iter().chain(now).map(|(name, _)| name);
    names
        .map(|name| (name, value(before, name), value(now, name)))
        .find(|(_, before, now)| before != now)
        .map(|(name, before, now)| format!("with {before} for {name} instead of {now}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(mode: &str) -> Fingerprint {
        vec![("--mode".to_string(), mode.to_string())]
    }

    #[test]
    fn journals_end_with_the_last_whole_checkpoint_in_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.progress");
        let of = |next| Checkpoint {
            next,
            bytes: next * 10,
            rows: next,
            content: None,
        };
        let resumed = |size_bytes| {
            let journal = Journal::resume(path.clone(), call("global"), size_bytes);
            journal.map(|journal| journal.last)
        };
        assert_eq!(resumed(100).expect("there is none"), None);
        let write = || {
            let mut journal = Journal::begin(path.clone(), call("global")).expect("a journal");
            for next in 1..=3 {
                journal.record(of(next)).expect("it is written");
            }
        };
        write();
        let whole = fs::read(&path).expect("it is there");
        for (cut, size_bytes, expected) in [
            (0, 30, Some(of(3))),
            (1, 30, Some(of(2))),
            (0, 29, Some(of(2))),
            (0, 9, None),
            (whole.len() - 3, 30, None),
        ] {
            fs::write(&path, &whole[..whole.len() - cut]).expect("it is written");
            assert_eq!(resumed(size_bytes).expect("it is a journal"), expected);
            assert_eq!(path.exists(), expected.is_some());
        }
        write();
        let refused = Journal::resume(path.clone(), call("infix"), 30).err();
        let text = refused.expect("another call").to_string();
        assert!(
            text.contains("with global for --mode instead of infix"),
            "{text}"
        );
        fs::write(&path, "{}\n").expect("it is written");
        assert!(resumed(30).is_err());
    }
}
