//! Files of the command: outputs, links, drafts, memory and unusual input.

use std::fs;

use crate::process;
use crate::process::{FASTA, Files, command, run};

// Outputs

#[test]
fn an_input_is_never_written_over() {
    let files = Files::new(&[("a", b"ACGT"), ("b", b"AGGT"), ("c", b"AGT")]);
    for args in [
        &["scs", "--path", "a", "b", "c"][..],
        &["lcs", "--path", "a", "b"],
        &["edit", "--path", "a", "b"],
    ] {
        files.swath(args).ok();
    }
    for (args, named) in [
        (
            &["lcs", "a", "b", "-o", "b"][..],
            "--output b is b, an input",
        ),
        (&["scs", "a", "b", "c", "--output", "./c"], "is c, an input"),
    ] {
        files.swath(args).fails(2, &[named]);
    }
    for name in ["a", "b", "c"] {
        assert!(
            fs::read(files.path(name))
                .expect("it is there")
                .starts_with(b"A"),
            "{name}"
        );
    }
    assert_eq!(files.names(), ["a", "b", "c"]);
}

#[cfg(unix)]
#[test]
fn input_is_recognised_through_links_and_stdin() {
    let files = Files::new(&[("a", b"ACGT"), ("b", b"AGGT")]);
    std::os::unix::fs::symlink("a", files.path("link")).expect("a link");
    fs::hard_link(files.path("a"), files.path("hard")).expect("a second name");
    let absolute = files.path("a").display().to_string();
    for output in ["link", "hard", "./a", &absolute] {
        files
            .swath(&["lcs", "a", "b", "-o", output])
            .fails(2, &["is a, an input"]);
    }
    files
        .swath(&["lcs", "link", "b", "-o", "a"])
        .fails(2, &["is link, an input"]);
    let mut from_stdin = command(&["lcs", "-", "b", "-o", "a"]);
    let stdin = fs::File::open(files.path("a")).expect("it is there");
    let output = from_stdin
        .current_dir(&files.0)
        .stdin(stdin)
        .output()
        .expect("swath runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the file behind stdin"));
    files
        .swath(&["polygon", "a", "-o", "hard"])
        .fails(2, &["is a, an input"]);
    assert_eq!(fs::read(files.path("a")).expect("it is there"), b"ACGT");
    // Writing to a device loses nothing.
    files
        .swath(&["lcs", "/dev/null", "b", "-o", "/dev/null"])
        .ok();
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_its_target_is_written() {
    let files = Files::new(&[("a", b"ACGT"), ("old", b"old")]);
    fs::create_dir(files.path("folder")).expect("a folder");
    for (link, target) in [("to-old", "old"), ("to-new", "folder/new")] {
        std::os::unix::fs::symlink(target, files.path(link)).expect("a link");
        files.swath(&["lcs", "a", "a", "-o", link]).ok();
        assert!(
            fs::symlink_metadata(files.path(link))
                .expect("it is there")
                .is_symlink(),
            "{link}"
        );
        assert_eq!(
            fs::read(files.path(target)).expect("it is there"),
            b"ACGT",
            "{link}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_owner_and_its_permissions() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let files = Files::new(&[("a", b"ACGT"), ("dims", b"10 20 30")]);
    for args in [
        &["lcs", "a", "a"][..],
        &["pairs", "a"],
        &["neighbors", "a", "-k", "0"],
        &["chain", "dims"],
    ] {
        fs::write(files.path("out"), b"old").expect("a file");
        // Only root may give a file away.
        let is_given = chown(files.path("out"), Some(1234), Some(5678)).is_ok();
        let mode = fs::Permissions::from_mode(0o640);
        fs::set_permissions(files.path("out"), mode).expect("it is there");
        files.swath(&[args, &["-o", "out"]].concat()).ok();
        let out = fs::metadata(files.path("out")).expect("it is there");
        assert_eq!(out.mode() & 0o777, 0o640, "{args:?}");
        if is_given {
            assert_eq!((out.uid(), out.gid()), (1234, 5678), "{args:?}");
        }
        assert_ne!(fs::read(files.path("out")).expect("it is there"), b"old");
        fs::remove_file(files.path("out")).expect("it is there");
    }
}

#[cfg(unix)]
#[test]
fn a_closed_stream_is_an_error() {
    let files = Files::new(&[("a", b"ACGT"), ("dims", b"10 20 30")]);
    let swath = env!("CARGO_BIN_EXE_swath");
    let shell = |line: &str| {
        let line = format!("exec {swath} {line}");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &line]).current_dir(&files.0);
        run(shell, b"ACGT")
    };
    for args in [
        "lcs a a",
        "lcs a a --path",
        "lcs a a --json",
        "pairs a",
        "chain dims",
        "--help",
        "man",
    ] {
        shell(&format!("{args} >&-")).fails(2, &["cannot write to stdout", "closed"]);
        assert_eq!(
            shell(&format!("{args} > /dev/null")).code,
            Some(0),
            "{args}"
        );
    }
    for args in ["lcs - a", "pairs -", "chain -", "fold -"] {
        shell(&format!("{args} <&-")).fails(2, &["cannot read stdin", "closed"]);
    }
    // The answer is elsewhere.
    for args in [
        "lcs a a --path",
        "edit a a --path",
        "pairs a",
        "neighbors a -k 1",
        "chain dims --tree",
    ] {
        for stderr in ["/dev/full", "&-"] {
            assert_eq!(
                shell(&format!("{args} 2>{stderr}")).code,
                Some(0),
                "{args} {stderr}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_by_its_descriptor_is_written_in_place() {
    for output in ["/dev/stdout", "/dev/fd/1", "-"] {
        let run = process::swath(&["lcs", "--text", "ACGT", "AGT", "-o", output]);
        assert!(run.ok().starts_with("AGT"), "{output}");
    }
}

#[test]
fn a_tree_goes_to_a_file_too() {
    let files = Files::new(&[("dims", b"10 20 30 5")]);
    let summary = files
        .swath(&["chain", "dims", "--tree", "dot", "-o", "tree.dot"])
        .ok();
    assert!(summary.starts_with("cost"), "{summary}");
    assert!(
        fs::read_to_string(files.path("tree.dot"))
            .expect("it is there")
            .starts_with("digraph")
    );
    assert_eq!(
        files.swath(&["chain", "dims", "-o", "-"]).ok(),
        "(A1 (A2 A3))\n"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    for args in [
        &["--help"][..],
        &["lcs", "--help"],
        &["--version"],
        &["lcs", "--text", "a", "a"],
        &["man"],
    ] {
        let full = fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("it is there");
        let output = command(args).stdout(full).output().expect("swath runs");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("cannot write to stdout"),
            "{args:?}"
        );
    }
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
    let files = Files::new(&[
        ("a", b"ACGT"),
        ("dims", b"10 20 30"),
        ("real", b"long old text"),
        ("out", b""),
    ]);
    let shown = files.0.path().display().to_string();
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
    let swath = env!("CARGO_BIN_EXE_swath");
    for (line, text) in [
        ("lcs a a -o out", "ACGT"),
        ("chain dims -o out", "(A1 A2)\n"),
        ("bench lcs --quick --device cpu --dry-run --json out", "{"),
    ] {
        in_mount(&format!("{swath} {line}")).ok();
        let written = fs::read_to_string(files.path("real")).expect("it is there");
        assert!(written.starts_with(text), "{line}: {written}");
        assert_eq!(files.names(), ["a", "dims", "out", "real"], "{line}");
    }
    // A file that can be neither replaced nor written: the answer is printed and the draft named.
    let locked = in_mount(&format!(
        "mount -o remount,bind,ro out && {swath} lcs a a -o out --device cpu"
    ));
    assert_eq!(locked.code, Some(2), "{}", locked.stderr);
    assert!(locked.stdout.starts_with(b"length"), "{}", locked.stderr);
    let (_, draft) = locked
        .stderr
        .trim_end()
        .split_once("what it was to hold is in ")
        .expect("a draft");
    let (draft, _) = draft.split_once(": ").expect("a reason");
    assert_eq!(fs::read(draft).expect("it is kept"), b"ACGT");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_in_a_folder_that_takes_no_other_is_written_in_place() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let files = Files::new(&[("a", b"ACGT")]);
    fs::create_dir(files.path("folder")).expect("a folder");
    fs::write(files.path("folder/out"), b"long old text").expect("a file");
    let folder = files.path("folder").display().to_string();
    let lock = |is_locked: bool| match fs::metadata(files.path("a")).expect("a file").uid() {
        // The owner of everything is stopped by an attribute alone.
        0 => succeeds("chattr", &[if is_locked { "+i" } else { "-i" }, &folder]),
        _ => {
            let mode = if is_locked { 0o500 } else { 0o700 };
            fs::set_permissions(files.path("folder"), fs::Permissions::from_mode(mode)).is_ok()
        }
    };
    if !lock(true) {
        return;
    }
    let written = files.swath(&["lcs", "a", "a", "-o", "folder/out"]);
    let refused = files.swath(&["lcs", "a", "a", "-o", "folder/new"]);
    assert!(lock(false));
    assert!(written.ok().starts_with("length"));
    assert_eq!(
        fs::read(files.path("folder/out")).expect("it is there"),
        b"ACGT"
    );
    refused.fails(2, &["cannot write folder/new"]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_is_printed_even_if_its_file_is_full() {
    let files = Files::new(&[("a", b"ACGT"), ("dims", b"10 20 30")]);
    for (args, start) in [
        (&["lcs", "a", "a"][..], "length"),
        (&["edit", "a", "a", "--mode", "infix"], "distance"),
        (&["scs", "a", "a"], "length"),
        (&["substring", "a", "a"], "length"),
        (&["chain", "dims"], "cost"),
    ] {
        let run = files.swath(&[args, &["-o", "/dev/full"]].concat());
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(
            run.stderr.contains("cannot write /dev/full"),
            "{}",
            run.stderr
        );
        let printed = String::from_utf8(run.stdout).expect("text");
        assert!(printed.starts_with(start), "{args:?}: {printed}");
    }
}

/// The system sends SIGXFSZ to the writer.
#[cfg(target_os = "linux")]
#[test]
fn output_beyond_the_limit_of_a_file_is_an_error() {
    let words: String = (0..200).map(|word| format!("{word}\n")).collect();
    let letters = b"ACGTTGCA".repeat(4_000);
    let files = Files::new(&[("a", &letters), ("w", words.as_bytes())]);
    for args in [
        "lcs a a --path > out",
        "lcs a a --path -o out",
        "pairs w > out",
        "pairs w -o out",
        "pairs w --format mtx -o out",
        "pairs w --format npy --shard 0/1 -o out",
        "neighbors w -k 2 -o out",
        "neighbors w -k 2 --format npy -o out",
        "man lcs > out",
    ] {
        let line = format!("ulimit -f 4; exec {} {args}", env!("CARGO_BIN_EXE_swath"));
        let mut limited = std::process::Command::new("bash");
        limited.args(["-c", &line]).current_dir(&files.0);
        let run = run(limited, b"");
        assert_eq!(run.code, Some(2), "{args}: {}", run.stderr);
        assert!(run.stderr.contains("File too large"), "{}", run.stderr);
        let left = if args.contains('>') {
            &["a", "out", "w"][..]
        } else {
            &["a", "w"]
        };
        assert_eq!(files.names(), left, "{args}");
        let _ = fs::remove_file(files.path("out"));
    }
}

// Memory

#[test]
fn inputs_count_against_the_host_memory() {
    let zeros = vec![b'A'; 4 << 20];
    let bomb = process::gzip(&zeros);
    let fasta = [b">x\n".as_slice(), &zeros].concat();
    let files = Files::new(&[
        ("plain", &zeros),
        ("bomb.gz", &bomb),
        ("fasta", &fasta),
        ("a", b"A"),
    ]);
    for name in ["plain", "bomb.gz", "fasta"] {
        files
            .swath(&["lcs", name, "a", "--mem-host", "1M"])
            .fails(4, &[name, "1048576 bytes", "--mem-host"]);
        files.swath(&["lcs", name, "a", "--mem-host", "64M"]).ok();
    }
    files
        .swath(&[
            "lcs",
            "plain",
            "a",
            "--symbols",
            "chars",
            "--mem-host",
            "8M",
        ])
        .fails(4, &["the inputs"]);
    files
        .swath(&["fold", "plain", "--mem-host", "1M"])
        .fails(4, &["plain", "--mem-host"]);
    files
        .swath(&["bst", "plain", "--mem-host", "1M"])
        .fails(4, &["plain", "--mem-host"]);
}

#[cfg(target_os = "linux")]
#[test]
fn system_out_of_memory_exits_with_four() {
    let files = Files::new(&[("plain", b""), ("fasta", b">x\n"), ("a", b"A")]);
    const LEN: u64 = 220 << 20;
    // Sparse zeros.
    for name in ["plain", "fasta"] {
        let file = fs::File::options()
            .write(true)
            .open(files.path(name))
            .expect("it is there");
        file.set_len(LEN).expect("a hole");
    }
    let zeros = vec![0; LEN as usize];
    fs::write(files.path("gz"), process::gzip(&zeros)).expect("a file");
    for name in ["plain", "gz", "fasta"] {
        let line = format!(
            "ulimit -v 210000; exec {} lcs {name} a --device cpu",
            env!("CARGO_BIN_EXE_swath")
        );
        let mut limited = std::process::Command::new("sh");
        limited.args(["-c", &line]).current_dir(&files.0);
        run(limited, b"").fails(4, &["no memory", name]);
    }
}

// Unusual files

#[test]
fn gzip_members_may_be_followed_by_zeros() {
    let gz = process::gzip(FASTA);
    let padded = [&gz[..], &[0; 100_000]].concat();
    let more = [&padded[..], &gz].concat();
    let files = Files::new(&[("padded", &padded), ("more", &more), ("a", b"ACGTACG")]);
    assert_eq!(
        files.swath(&["lcs", "padded", "a", "--json"]).json()["length"],
        7
    );
    files
        .swath(&["lcs", "more", "a", "--input", "plain"])
        .fails(2, &["broken gzip"]);
}

#[test]
fn records_may_stand_behind_a_byte_order_mark_and_empty_lines() {
    for before in [&b"\xef\xbb\xbf"[..], b"\n", b"\r\n\n", b"\xef\xbb\xbf\n"] {
        let fastq = [before, b"@q\nACGTACG\n+\nIIIIIII\n"].concat();
        let files = Files::new(&[
            ("fa", &[before, FASTA].concat()),
            ("fq", &fastq),
            ("a", b"ACGTACG"),
        ]);
        for args in [
            ["a", "fa", "auto"],
            ["a", "fq", "auto"],
            ["fa", "fa", "fasta"],
            ["fq", "fq", "fastq"],
        ] {
            let answer = files
                .swath(&["lcs", args[0], args[1], "--json", "--input", args[2]])
                .json();
            assert_eq!(
                (&answer["length"], &answer["b"]["length"]),
                (&7.into(), &7.into()),
                "{before:?} {args:?}"
            );
        }
    }
    // Without a record, the leading bytes stay.
    let files = Files::new(&[("a", b"\nACGT")]);
    assert_eq!(
        files.swath(&["lcs", "a", "a", "--json"]).json()["length"],
        5
    );
}

#[test]
fn final_newline_is_a_symbol_only_in_plain_layout() {
    let files = Files::new(&[
        ("unix", b"ACGT\n"),
        ("windows", b"ACGT\r\n"),
        ("two", b"ACGT\n\n"),
        ("none", b"ACGT"),
    ]);
    let distance = |name: &str, more: &[&str]| {
        files
            .swath(&[&["edit", name, "none", "--json"], more].concat())
            .json()["distance"]
            .as_u64()
    };
    for (name, auto, plain) in [("unix", 0, 1), ("windows", 0, 2), ("two", 1, 2)] {
        assert_eq!(distance(name, &[]), Some(auto), "{name}");
        assert_eq!(
            distance(name, &["--symbols", "chars"]),
            Some(auto),
            "{name}"
        );
        assert_eq!(distance(name, &["--input", "plain"]), Some(plain), "{name}");
    }
}

#[test]
fn escapes_in_names_do_not_reach_the_terminal() {
    let files = Files::new(&[
        ("fa", b">\x1b[31mred\x07\nACGT\n"),
        ("shapes", b"\x1b[31m:2x3 B:3x4"),
    ]);
    let no_escape = |text: &str| assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
    no_escape(&files.swath(&["lcs", "fa", "fa"]).ok());
    no_escape(&files.swath(&["edit", "fa", "fa", "--format", "paf"]).ok());
    no_escape(&files.swath(&["fold", "fa"]).stderr);
    no_escape(&files.swath(&["chain", "shapes"]).ok());
    let missing = files.swath(&["lcs", "fa", "fa", "--record-a", "x"]);
    no_escape(&missing.stderr);
    missing.fails(2, &["red"]);
    assert_eq!(
        files.swath(&["lcs", "fa", "fa", "--json"]).json()["a"]["name"],
        "\u{1b}[31mred\u{7}"
    );
}

#[test]
fn default_record_of_several_is_noted() {
    let files = Files::new(&[("fa", FASTA), ("one", b">x\nACGT\n")]);
    for args in [
        &["lcs", "fa", "one"][..],
        &["edit", "fa", "one", "--json"],
        &["scs", "fa", "one"],
    ] {
        let run = files.swath(args);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        assert!(
            run.stderr.contains("fa has more records than 'r1'")
                && run.stderr.contains("--record-a")
        );
        run.ok();
    }
    for args in [
        &["lcs", "fa", "one", "--record-a", "r1"][..],
        &["scs", "fa", "--all-records"],
        &["lcs", "one", "one"],
    ] {
        let run = files.swath(args);
        assert_eq!(run.stderr, "", "{args:?}");
        run.ok();
    }
    assert!(
        files
            .swath(&["scs", "one", "one", "fa"])
            .stderr
            .contains("--all-records takes all")
    );
    assert!(
        files
            .swath(&["fold", "fa"])
            .stderr
            .contains("--record takes another")
    );
}

#[cfg(unix)]
#[test]
fn drivers_do_not_complain_about_the_environment() {
    let mut devices = command(&["devices"]);
    devices
        .env_remove("XDG_RUNTIME_DIR")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("DISPLAY");
    let devices = run(devices, b"");
    assert_eq!(devices.stderr, "");
    devices.ok();
}
