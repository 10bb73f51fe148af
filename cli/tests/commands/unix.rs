//! Links, permissions, pipes and closed streams.

use std::fs;

use crate::process::{Dir, each, list, run, swath};

#[test]
fn input_is_recognised_through_links_and_stdin() {
    let dir = Dir::of(
        "
        a => ACGT
        b => AGGT
    ",
    );
    std::os::unix::fs::symlink("a", dir.path("link")).expect("a link");
    fs::hard_link(dir.path("a"), dir.path("hard")).expect("a second name");
    dir.fail(
        2,
        "",
        &format!(
            "
        lcs a b -o link   => is a, an input
        lcs a b -o hard   => is a, an input
        lcs a b -o ./a    => is a, an input
        lcs a b -o '{}'   => is a, an input
        lcs link b -o a   => is link, an input
        polygon a -o hard => is a, an input
    ",
            dir.path("a").display()
        ),
    );
    let from_stdin = dir.sh("swath lcs - b -o a < a");
    from_stdin.ends(2, "the file behind stdin");
    assert_eq!(dir.text("a"), "ACGT");
    // Writing to a device loses nothing.
    dir.swath("lcs /dev/null b -o /dev/null").ok();
}

#[test]
fn a_link_stays_a_link_and_its_target_is_written() {
    let dir = Dir::of(
        "
        a   => ACGT
        old => old
    ",
    );
    fs::create_dir(dir.path("folder")).expect("a folder");
    for (link, target) in [("to-old", "old"), ("to-new", "folder/new")] {
        std::os::unix::fs::symlink(target, dir.path(link)).expect("a link");
        dir.swath(format!("lcs a a -o {link}")).ok();
        assert!(
            fs::symlink_metadata(dir.path(link))
                .expect("it is there")
                .is_symlink()
        );
        assert_eq!(dir.text(target), "ACGT");
    }
}

#[test]
fn a_replaced_file_keeps_owner_and_permissions() {
    use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown};
    let dir = Dir::of(
        "
        a    => ACGT
        dims => 10 20 30
    ",
    );
    let metadata = |name: &str| fs::metadata(dir.path(name)).expect(name);
    each(
        ["lcs a a", "pairs a", "neighbors a -k 0", "chain dims"],
        |call| {
            // A new file has the permissions of any.
            dir.swath(format!("{call} -o out")).ok();
            assert_eq!(metadata("out").mode(), metadata("a").mode());
            dir.write("out", "old");
            // Only root may give a file away.
            let is_given = chown(dir.path("out"), Some(1234), Some(5678)).is_ok();
            let mode = fs::Permissions::from_mode(0o640);
            fs::set_permissions(dir.path("out"), mode).expect("it is there");
            dir.swath(format!("{call} -o out")).ok();
            let out = metadata("out");
            assert_eq!(out.mode() & 0o777, 0o640);
            assert!(!is_given || (out.uid(), out.gid()) == (1234, 5678));
            assert_ne!(dir.text("out"), "old");
            dir.remove("out");
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
fn a_closed_stream_is_an_error() {
    let dir = Dir::of(
        "
        a    => ACGT
        dims => 10 20 30
    ",
    );
    let shell = |line: String| run(dir.shell(&line), b"ACGT");
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
        shell(format!("swath {line} > /dev/null")).ends(0, "");
    });
    each(["lcs - a", "pairs -", "chain -", "fold -"], |line| {
        shell(format!("swath {line} <&-")).fails(2, "cannot read stdin | closed");
    });
    // The answer is elsewhere.
    let lines = "
        lcs a a --path
        edit a a --path
        pairs a
        neighbors a -k 1
        chain dims --tree
    ";
    each(list(lines), |line| {
        for stderr in ["/dev/full", "&-"] {
            shell(format!("swath {line} 2>{stderr}")).ends(0, "");
        }
    });
}

#[test]
fn drivers_do_not_complain_about_the_environment() {
    let dir = Dir::new(&[]);
    let mut devices = dir.command("devices");
    for name in ["XDG_RUNTIME_DIR", "WAYLAND_DISPLAY", "DISPLAY"] {
        devices.env_remove(name);
    }
    run(devices, b"").quiet().ok();
}
