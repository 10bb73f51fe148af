//! Files of the command: outputs, links, drafts, memory and unusual input.

use std::fs;
use std::process::Stdio;

use serde_json::json;

use crate::process::{FASTA, Files, each, gzip, run, swath};

// Outputs

#[test]
fn an_input_is_never_written_over() {
    let files = Files::texts(&[("a", "ACGT"), ("b", "AGGT"), ("c", "AGT")]);
    for call in ["scs --path a b c", "lcs --path a b", "edit --path a b"] {
        files.swath(call).ok();
    }
    files.fail(
        2,
        "",
        &[
            ("lcs a b -o b", "--output b is b, an input"),
            ("scs a b c --output ./c", "is c, an input"),
        ],
    );
    assert_eq!(files.names(), ["a", "b", "c"]);
    assert_eq!(
        ["a", "b", "c"].map(|name| files.text(name)),
        ["ACGT", "AGGT", "AGT"]
    );
}

#[cfg(unix)]
#[test]
fn input_is_recognised_through_links_and_stdin() {
    let files = Files::texts(&[("a", "ACGT"), ("b", "AGGT")]);
    std::os::unix::fs::symlink("a", files.path("link")).expect("a link");
    fs::hard_link(files.path("a"), files.path("hard")).expect("a second name");
    let absolute = format!("lcs a b -o '{}'", files.path("a").display());
    files.fail(
        2,
        "",
        &[
            ("lcs a b -o link", "is a, an input"),
            ("lcs a b -o hard", "is a, an input"),
            ("lcs a b -o ./a", "is a, an input"),
            (&absolute, "is a, an input"),
            ("lcs link b -o a", "is link, an input"),
            ("polygon a -o hard", "is a, an input"),
        ],
    );
    let from_stdin = run(files.shell("swath lcs - b -o a < a"), b"");
    assert_eq!(from_stdin.notes("the file behind stdin").code, Some(2));
    assert_eq!(files.text("a"), "ACGT");
    // Writing to a device loses nothing.
    files.swath("lcs /dev/null b -o /dev/null").ok();
}

#[test]
fn an_output_is_replaced_in_one_step_and_stays_after_a_failure() {
    let files = Files::texts(&[
        ("out", "old"),
        ("a", "ABC"),
        ("b", "xABCx"),
        ("dims", "10 20 30 5"),
    ]);
    files.swath("lcs a missing -o out").fails(2, "missing");
    files
        .swath("lcs a a -o out --device 'no such adapter'")
        .fails(3, "no such adapter");
    assert_eq!(files.text("out"), "old");
    assert!(files.swath("lcs a b -o out").ok().starts_with("length"));
    assert_eq!(files.text("out"), "ABC");
    assert!(files.swath("lcs a b -o out --json").json()["blocks"].is_array());
    assert!(
        files
            .swath("chain dims --tree dot -o out")
            .ok()
            .starts_with("cost")
    );
    assert!(files.text("out").starts_with("digraph"));
    assert_eq!(
        files.names(),
        ["a", "b", "dims", "out"],
        "nothing else is left"
    );
    assert_eq!(files.swath("chain dims -o -").ok(), "(A1 (A2 A3))\n");
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_its_target_is_written() {
    let files = Files::texts(&[("a", "ACGT"), ("old", "old")]);
    fs::create_dir(files.path("folder")).expect("a folder");
    for (link, target) in [("to-old", "old"), ("to-new", "folder/new")] {
        std::os::unix::fs::symlink(target, files.path(link)).expect("a link");
        files.swath(format!("lcs a a -o {link}")).ok();
        assert!(
            fs::symlink_metadata(files.path(link))
                .expect("it is there")
                .is_symlink()
        );
        assert_eq!(files.text(target), "ACGT");
    }
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_owner_and_its_permissions() {
    use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown};
    let files = Files::texts(&[("a", "ACGT"), ("dims", "10 20 30")]);
    let metadata = |name: &str| fs::metadata(files.path(name)).expect(name);
    each(
        ["lcs a a", "pairs a", "neighbors a -k 0", "chain dims"],
        |call| {
            // A new file has the permissions of any.
            files.swath(format!("{call} -o out")).ok();
            assert_eq!(metadata("out").mode(), metadata("a").mode());
            files.write("out", "old");
            // Only root may give a file away.
            let is_given = chown(files.path("out"), Some(1234), Some(5678)).is_ok();
            let mode = fs::Permissions::from_mode(0o640);
            fs::set_permissions(files.path("out"), mode).expect("it is there");
            files.swath(format!("{call} -o out")).ok();
            let out = metadata("out");
            assert_eq!(out.mode() & 0o777, 0o640);
            assert!(!is_given || (out.uid(), out.gid()) == (1234, 5678));
            assert_ne!(files.text("out"), "old");
            files.remove("out");
        },
    );
    // A device is not replaced.
    swath("lcs --text a a -o /dev/null").ok();
    let null = fs::metadata("/dev/null").expect("it is still there");
    assert!(null.file_type().is_char_device());
    // Nor is a pipe.
    for output in ["/dev/stdout", "/dev/fd/1", "-"] {
        assert!(
            swath(format!("lcs --text ACGT AGT -o {output}"))
                .ok()
                .starts_with("AGT")
        );
    }
}

#[test]
fn closed_pipe_is_not_an_error() {
    let line = "a line of text\n".repeat(200);
    let files = Files::texts(&[("a", &line), ("b", &line.replace('x', "y"))]);
    each(
        ["lcs a b --format text", "completions bash", "man lcs"],
        |line| {
            let (_, writer) = std::io::pipe().expect("a pipe that nobody reads");
            let mut command = files.command(line);
            let output = command
                .stdout(writer)
                .stderr(Stdio::piped())
                .output()
                .expect("swath runs");
            assert_eq!(output.status.code(), Some(0));
            assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        },
    );
}

#[cfg(unix)]
#[test]
fn a_closed_stream_is_an_error() {
    let files = Files::texts(&[("a", "ACGT"), ("dims", "10 20 30")]);
    let shell = |line: String| run(files.shell(&line), b"ACGT");
    let lines = [
        "lcs a a",
        "lcs a a --path",
        "lcs a a --json",
        "pairs a",
        "chain dims",
        "--help",
        "man",
    ];
    each(lines, |line| {
        shell(format!("swath {line} >&-")).fails(2, "cannot write to stdout | closed");
        assert_eq!(shell(format!("swath {line} > /dev/null")).code, Some(0));
    });
    each(["lcs - a", "pairs -", "chain -", "fold -"], |line| {
        shell(format!("swath {line} <&-")).fails(2, "cannot read stdin | closed");
    });
    // The answer is elsewhere.
    let lines = [
        "lcs a a --path",
        "edit a a --path",
        "pairs a",
        "neighbors a -k 1",
        "chain dims --tree",
    ];
    each(lines, |line| {
        for stderr in ["/dev/full", "&-"] {
            assert_eq!(
                shell(format!("swath {line} 2>{stderr}")).code,
                Some(0),
                "{stderr}"
            );
        }
    });
}

/// Runs a program of the system; `false` if it fails, as for a user without the right to.
#[cfg(target_os = "linux")]
fn succeeds(program: &str, args: &[&str]) -> bool {
    let ran = std::process::Command::new(program).args(args).output();
    ran.is_ok_and(|output| output.status.success())
}

#[cfg(target_os = "linux")]
#[test]
fn a_mount_that_cannot_be_replaced_is_written_in_place() {
    let files = Files::texts(&[
        ("a", "ACGT"),
        ("dims", "10 20 30"),
        ("real", "long old text"),
        ("out", ""),
    ]);
    let shown = files.0.path().display().to_string();
    let swath = env!("CARGO_BIN_EXE_swath");
    // A mount of its own, without a trace outside of this command.
    let in_mount = |line: &str| {
        let line = format!("cd {shown} && mount --bind real out && {line}");
        let mut shell = std::process::Command::new("unshare");
        shell.args(["-rm", "sh", "-c", &line]).current_dir(&files.0);
        run(shell, b"")
    };
    if in_mount("true").code != Some(0) {
        return;
    }
    let lines = [
        ("lcs a a -o out", "ACGT"),
        ("chain dims -o out", "(A1 A2)\n"),
        ("bench lcs --quick --device cpu --dry-run --json out", "{"),
    ];
    each(lines, |(line, text)| {
        in_mount(&format!("{swath} {line}")).ok();
        assert!(
            files.text("real").starts_with(text),
            "{}",
            files.text("real")
        );
        assert_eq!(files.names(), ["a", "dims", "out", "real"]);
    });
    // A file that can be neither replaced nor written: the answer is printed and the draft named.
    let remount = "mount -o remount,bind,ro out";
    let locked = in_mount(&format!("{remount} && {swath} lcs a a -o out --device cpu"));
    assert_eq!(locked.code, Some(2), "{}", locked.stderr);
    assert!(locked.stdout.starts_with(b"length"), "{}", locked.stderr);
    let (_, draft) = locked
        .stderr
        .split_once("what it was to hold is in ")
        .expect("a draft");
    let (draft, _) = draft.split_once(": ").expect("a reason");
    assert_eq!(fs::read(draft).expect("it is kept"), b"ACGT");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_in_a_folder_that_takes_no_other_is_written_in_place() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let files = Files::texts(&[("a", "ACGT")]);
    fs::create_dir(files.path("folder")).expect("a folder");
    files.write("folder/out", "long old text");
    let folder = files.path("folder").display().to_string();
    let lock = |is_locked: bool| match fs::metadata(files.path("a")).expect("a file").uid() {
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
    let written = files.swath("lcs a a -o folder/out");
    let refused = files.swath("lcs a a -o folder/new");
    assert!(lock(false));
    assert!(written.ok().starts_with("length"));
    assert_eq!(files.text("folder/out"), "ACGT");
    refused.fails(2, "cannot write folder/new");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let files = Files::texts(&[("a", "ACGT"), ("dims", "10 20 30")]);
    let lines = [
        "--help",
        "lcs --help",
        "--version",
        "lcs a a",
        "pairs a a",
        "man",
    ];
    each(lines, |line| {
        let full = run(files.shell(&format!("swath {line} > /dev/full")), b"");
        assert_eq!(full.code, Some(2));
        assert!(
            full.stderr.starts_with("swath: cannot write to stdout"),
            "{}",
            full.stderr
        );
    });
    // An answer is printed even if its file is full.
    let rows = [
        ("lcs a a", "length"),
        ("edit a a --mode infix", "distance"),
        ("scs a a", "length"),
        ("substring a a", "length"),
        ("chain dims", "cost"),
    ];
    each(rows, |(call, start)| {
        let run = files
            .swath(format!("{call} -o /dev/full"))
            .notes("cannot write /dev/full");
        assert_eq!(run.code, Some(2));
        assert!(run.stdout.starts_with(start.as_bytes()));
    });
}

/// The system sends SIGXFSZ to the writer.
#[cfg(target_os = "linux")]
#[test]
fn output_beyond_the_limit_of_a_file_is_an_error() {
    let words: String = (0..200).map(|word| format!("{word}\n")).collect();
    let files = Files::texts(&[("a", &"ACGTTGCA".repeat(4_000)), ("w", &words)]);
    let lines = [
        "lcs a a --path > out",
        "lcs a a --path -o out",
        "pairs w > out",
        "pairs w -o out",
        "pairs w --format mtx -o out",
        "pairs w --format npy --shard 0/1 -o out",
        "neighbors w -k 2 -o out",
        "neighbors w -k 2 --format npy -o out",
        "man lcs > out",
    ];
    each(lines, |line| {
        // Blocks of 512 bytes.
        let run = run(files.shell(&format!("ulimit -f 8; swath {line}")), b"");
        assert_eq!(run.notes("File too large").code, Some(2));
        let left = if line.contains('>') {
            &["a", "out", "w"][..]
        } else {
            &["a", "w"]
        };
        assert_eq!(files.names(), left);
        let _ = fs::remove_file(files.path("out"));
    });
}

// Memory

#[test]
fn inputs_count_against_the_host_memory() {
    let zeros = vec![b'A'; 4 << 20];
    let fasta = [b">x\n", &zeros[..]].concat();
    let files = Files::new(&[
        ("plain", &zeros),
        ("bomb.gz", &gzip(&zeros)),
        ("fasta", &fasta),
        ("a", b"A"),
    ]);
    files.fail(
        4,
        "",
        &[
            (
                "lcs plain a --mem-host 1M",
                "plain | 1048576 bytes | --mem-host",
            ),
            (
                "lcs bomb.gz a --mem-host 1M",
                "bomb.gz | 1048576 bytes | --mem-host",
            ),
            (
                "lcs fasta a --mem-host 1M",
                "fasta | 1048576 bytes | --mem-host",
            ),
            ("lcs plain a --symbols chars --mem-host 8M", "the inputs"),
            ("fold plain --mem-host 1M", "plain | --mem-host"),
            ("bst plain --mem-host 1M", "plain | --mem-host"),
        ],
    );
    for name in ["plain", "bomb.gz", "fasta"] {
        files.swath(format!("lcs {name} a --mem-host 64M")).ok();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn system_out_of_memory_exits_with_four() {
    let files = Files::texts(&[("plain", ""), ("fasta", ">x\n"), ("a", "A")]);
    const LEN: usize = 220 << 20;
    // Sparse zeros.
    for name in ["plain", "fasta"] {
        let file = fs::File::options()
            .write(true)
            .open(files.path(name))
            .expect("it is there");
        file.set_len(LEN as u64).expect("a hole");
    }
    files.write("gz", gzip(&vec![0; LEN]));
    for name in ["plain", "gz", "fasta"] {
        let line = format!("ulimit -v 210000; swath lcs {name} a");
        run(files.shell(&line), b"").fails(4, format!("no memory | {name}"));
    }
}

// Unusual files

#[test]
fn records_may_stand_behind_a_byte_order_mark_and_empty_lines() {
    each(
        [&b"\xef\xbb\xbf"[..], b"\n", b"\r\n\n", b"\xef\xbb\xbf\n"],
        |before| {
            let fastq = [before, b"@q\nACGTACG\n+\nIIIIIII\n"].concat();
            let fasta = [before, FASTA].concat();
            let files = Files::new(&[("fa", &fasta), ("fq", &fastq), ("a", b"ACGTACG")]);
            for inputs in ["a fa", "a fq", "fa fa --input fasta", "fq fq --input fastq"] {
                let answer = files.swath(format!("lcs {inputs} --json"));
                answer.has(json!({"length": 7, "/b/length": 7}));
            }
        },
    );
    // Without a record, the leading bytes stay.
    Files::texts(&[("a", "\nACGT")])
        .swath("lcs a a --json")
        .has(json!({"length": 5}));
}

#[test]
fn final_newline_is_a_symbol_only_in_plain_layout() {
    let files = Files::texts(&[
        ("unix", "ACGT\n"),
        ("windows", "ACGT\r\n"),
        ("two", "ACGT\n\n"),
        ("none", "ACGT"),
    ]);
    each(
        [("unix", 0, 1), ("windows", 0, 2), ("two", 1, 2)],
        |(name, auto, plain)| {
            for (options, distance) in [
                ("", auto),
                ("--symbols chars", auto),
                ("--input plain", plain),
            ] {
                let answer = files.swath(format!("edit {name} none --json {options}"));
                answer.has(json!({"distance": distance}));
            }
        },
    );
}

#[test]
fn escapes_in_names_do_not_reach_the_terminal() {
    let files = Files::texts(&[
        ("fa", ">\x1b[31mred\x07\nACGT\n"),
        ("shapes", "\x1b[31m:2x3 B:3x4"),
    ]);
    let calls = [
        "lcs fa fa",
        "edit fa fa --format paf",
        "fold fa",
        "chain shapes",
        "lcs fa fa --record-a x",
    ];
    each(calls, |call| {
        let run = files.swath(call);
        let text = run.stderr + &String::from_utf8_lossy(&run.stdout);
        assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
    });
    files.swath("lcs fa fa --record-a x").fails(2, "red");
    files
        .swath("lcs fa fa --json")
        .has(json!({"/a/name": "\u{1b}[31mred\u{7}"}));
}

#[test]
fn default_record_of_several_is_noted() {
    let files = Files::new(&[("fa", FASTA), ("one", b">x\nACGT\n")]);
    each(["lcs fa one", "edit fa one --json", "scs fa one"], |call| {
        let run = files
            .swath(call)
            .notes("fa has more records than 'r1' | --record-a");
        assert_eq!(run.stderr.lines().count(), 1);
        run.ok();
    });
    each(
        [
            "lcs fa one --record-a r1",
            "scs fa --all-records",
            "lcs one one",
        ],
        |call| {
            drop(files.swath(call).quiet().ok());
        },
    );
    files
        .swath("scs one one fa")
        .notes("--all-records takes all");
    files.swath("fold fa").notes("--record takes another");
}

#[cfg(unix)]
#[test]
fn drivers_do_not_complain_about_the_environment() {
    let files = Files::new(&[]);
    let mut devices = files.command("devices");
    for name in ["XDG_RUNTIME_DIR", "WAYLAND_DISPLAY", "DISPLAY"] {
        devices.env_remove(name);
    }
    run(devices, b"").quiet().ok();
}
