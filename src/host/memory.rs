//! Host memory that this process may use.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes that this process may still allocate: the least of the physical memory, the limits of its
/// control groups (versions 1 and 2), and its address space (`ulimit -v`) less what is mapped.
/// `None` where none of them is known.
pub(crate) fn available_bytes() -> Option<u64> {
    available_in(Path::new("/"))
}

fn available_in(root: &Path) -> Option<u64> {
    [
        kilobytes(root, "proc/meminfo", "MemTotal:"),
        address_space(root),
        group_limit(root),
    ]
    .into_iter()
    .flatten()
    .min()
}

/// Value of a line such as `MemTotal:  1024 kB` in bytes.
fn kilobytes(root: &Path, file: &str, key: &str) -> Option<u64> {
    let text = fs::read_to_string(root.join(file)).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    number.checked_mul(1 << 10)
}

fn address_space(root: &Path) -> Option<u64> {
    let limits = fs::read_to_string(root.join("proc/self/limits")).ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    // "unlimited" is no number.
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let mapped = kilobytes(root, "proc/self/status", "VmSize:").unwrap_or(0);
    Some(limit.saturating_sub(mapped))
}

/// Least limit of the control groups of this process and the groups around them.
fn group_limit(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let limits = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let (mount, files): (_, &[_]) = match controllers {
            "" => ("sys/fs/cgroup", &["memory.max", "memory.high"]),
            "memory" => ("sys/fs/cgroup/memory", &["memory.limit_in_bytes"]),
            _ => return Vec::new(),
        };
        let mount = root.join(mount);
        let own = mount.join(path.trim_start_matches('/'));
        // In a container the path may be that of the host, which is not mounted.
        let folders = own
            .ancestors()
            .take_while(|folder| folder.starts_with(&mount));
        let folders: Vec<PathBuf> = folders.map(Path::to_path_buf).collect();
        let files = folders
            .iter()
            .flat_map(|folder| files.iter().map(|file| folder.join(file)));
        files
            .filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok())
            .collect::<Vec<u64>>()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paths and texts.
    type Files<'a> = &'a [(&'a str, &'a str)];

    struct Root(PathBuf);

    impl Root {
        fn new(name: &str, files: Files<'_>) -> Self {
            let root =
                std::env::temp_dir().join(format!("swath-memory-{name}-{}", std::process::id()));
            for (file, text) in files {
                let file = root.join(file);
                fs::create_dir_all(file.parent().expect("a folder")).expect("a temporary folder");
                fs::write(file, text).expect("a file in it");
            }
            Self(root)
        }
    }

    impl Drop for Root {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn available_memory_is_the_least_of_all_limits() {
        let physical = ("proc/meminfo", "MemTotal:       8 kB\nMemFree: 1 kB\n");
        let status = ("proc/self/status", "Name:\tx\nVmSize:\t    3 kB\n");
        let space = "Limit  Soft Limit  Hard Limit  Units\nMax address space         ";
        let limited = format!("{space}10240                unlimited            bytes\n");
        let unlimited = format!("{space}unlimited            unlimited            bytes\n");
        let two = ("proc/self/cgroup", "0::/a/b\n");
        let one = ("proc/self/cgroup", "9:cpu:/x\n4:memory:/a\n0::/\n");
        let cases: [(&str, Files<'_>, Option<u64>); 7] = [
            ("none", &[("other", "")], None),
            (
                "physical",
                &[physical, ("proc/self/limits", &unlimited)],
                Some(8 << 10),
            ),
            (
                "space",
                &[physical, status, ("proc/self/limits", &limited)],
                Some(7 << 10),
            ),
            (
                "parent",
                &[
                    physical,
                    two,
                    ("sys/fs/cgroup/a/b/memory.max", "max\n"),
                    ("sys/fs/cgroup/a/memory.max", "4096\n"),
                ],
                Some(4096),
            ),
            (
                "high",
                &[two, ("sys/fs/cgroup/a/b/memory.high", "5000\n")],
                Some(5000),
            ),
            (
                "container",
                &[two, ("sys/fs/cgroup/memory.max", "6000\n")],
                Some(6000),
            ),
            (
                "version 1",
                &[
                    physical,
                    one,
                    ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "7000\n"),
                ],
                Some(7000),
            ),
        ];
        for (name, files, expected) in cases {
            let root = Root::new(name, files);
            assert_eq!(available_in(&root.0), expected, "{name}");
        }
    }
}
