//! Full, locked and limited files and memory.

use std::fs;

use crate::process::{Dir, each, gzip, list, run, table};

/// Runs a program of the system; `false` if it fails, as for a user without the right to.
fn succeeds(program: &str, args: &[&str]) -> bool {
    let ran = std::process::Command::new(program).args(args).output();
    ran.is_ok_and(|output| output.status.success())
}

#[test]
fn a_mount_that_cannot_be_replaced_is_written_in_place() {
    let dir = Dir::of(
        "
        a    => ACGT
        dims => 10 20 30
        real => long old text
        out  =>
    ",
    );
    let shown = dir.0.path().display().to_string();
    let swath = env!("CARGO_BIN_EXE_swath");
    // A mount of its own, without a trace outside of this command.
    let in_mount = |line: &str| {
        let line = format!("cd {shown} && mount --bind real out && {line}");
        let mut shell = std::process::Command::new("unshare");
        shell.args(["-rm", "sh", "-c", &line]).current_dir(&dir.0);
        run(shell, b"")
    };
    if in_mount("true").code != Some(0) {
        return;
    }
    let lines = r"
        lcs a a -o out                                      => ACGT
        chain dims -o out                                   => (A1 A2)\n
        bench lcs --quick --device cpu --dry-run --json out => {
    ";
    each(table(lines), |[line, text]| {
        in_mount(&format!("{swath} {line}")).ok();
        assert!(dir.text("real").starts_with(text), "{}", dir.text("real"));
        assert_eq!(dir.names(), ["a", "dims", "out", "real"]);
    });
    // A file that can be neither replaced nor written: the answer is printed and the draft named.
    let remount = "mount -o remount,bind,ro out";
    let locked = in_mount(&format!("{remount} && {swath} lcs a a -o out --device cpu"));
    let locked = locked.ends(2, "");
    assert!(locked.stdout.starts_with(b"length"), "{}", locked.stderr);
    let (_, draft) = locked
        .stderr
        .split_once("what it was to hold is in ")
        .expect("a draft");
    let (draft, _) = draft.split_once(": ").expect("a reason");
    assert_eq!(fs::read(draft).expect("it is kept"), b"ACGT");
}

#[test]
fn a_file_in_a_locked_folder_is_written_in_place() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let dir = Dir::texts(&[("a", "ACGT")]);
    fs::create_dir(dir.path("folder")).expect("a folder");
    dir.write("folder/out", "long old text");
    let folder = dir.path("folder").display().to_string();
    let lock = |is_locked: bool| match fs::metadata(dir.path("a")).expect("a file").uid() {
        // The owner of everything is stopped by an attribute alone.
        0 => succeeds("chattr", &[if is_locked { "+i" } else { "-i" }, &folder]),
        _ => {
            let mode = if is_locked { 0o500 } else { 0o700 };
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).is_ok()
        }
    };
    if !lock(true) {
        return;
    }
    let written = dir.swath("lcs a a -o folder/out");
    let refused = dir.swath("lcs a a -o folder/new");
    assert!(lock(false));
    assert!(written.ok().starts_with("length"));
    assert_eq!(dir.text("folder/out"), "ACGT");
    refused.fails(2, "cannot write folder/new");
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let dir = Dir::of(
        "
        a    => ACGT
        dims => 10 20 30
    ",
    );
    let lines = "
        --help
        lcs --help
        --version
        lcs a a
        pairs a a
        man
    ";
    each(list(lines), |line| {
        let full = dir.sh(&format!("swath {line} > /dev/full"));
        assert_eq!(full.code, Some(2));
        assert!(
            full.stderr.starts_with("swath: cannot write to stdout"),
            "{}",
            full.stderr
        );
    });
    // An answer is printed even if its file is full.
    let rows = "
        lcs a a               => length
        edit a a --mode infix => distance
        scs a a               => length
        substring a a         => length
        chain dims            => cost
    ";
    each(table(rows), |[call, start]| {
        let run = dir
            .swath(format!("{call} -o /dev/full"))
            .notes("cannot write /dev/full");
        let run = run.ends(2, "");
        assert!(run.stdout.starts_with(start.as_bytes()));
    });
}

/// The system sends SIGXFSZ to the writer.
#[test]
fn output_beyond_the_limit_of_a_file_is_an_error() {
    let words: String = (0..200).map(|word| format!("{word}\n")).collect();
    let dir = Dir::texts(&[("a", &"ACGTTGCA".repeat(4_000)), ("w", &words)]);
    let lines = "
        lcs a a --path > out
        lcs a a --path -o out
        pairs w > out
        pairs w -o out
        pairs w --format mtx -o out
        pairs w --format npy --shard 0/1 -o out
        neighbors w -k 2 -o out
        neighbors w -k 2 --format npy -o out
        man lcs > out
    ";
    each(list(lines), |line| {
        // Blocks of 512 bytes.
        let run = dir.sh(&format!("ulimit -f 8; swath {line}"));
        run.ends(2, "File too large");
        let left = if line.contains('>') {
            &["a", "out", "w"][..]
        } else {
            &["a", "w"]
        };
        assert_eq!(dir.names(), left);
        let _ = fs::remove_file(dir.path("out"));
    });
}

#[test]
fn system_out_of_memory_exits_with_four() {
    let dir = Dir::of(
        r"
        plain =>
        fasta => >x\n
        a     => A
    ",
    );
    const LEN: usize = 220 << 20;
    // Sparse zeros.
    for name in ["plain", "fasta"] {
        let file = fs::File::options()
            .write(true)
            .open(dir.path(name))
            .expect("it is there");
        file.set_len(LEN as u64).expect("a hole");
    }
    dir.write("gz", gzip(&vec![0; LEN]));
    for name in ["plain", "gz", "fasta"] {
        let line = format!("ulimit -v 210000; swath lcs {name} a");
        dir.sh(&line).fails(4, format!("no memory | {name}"));
    }
}
