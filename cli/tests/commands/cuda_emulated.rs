//! CUDA back end and kernels without a GPU, on the CPU driver and NVRTC of tests/cuda_emulator. The
//! emulator ends programs that violate CUDA's rules or access memory outside of buffers.
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;
use swath::unstable::backend::cuda::embedded::archive;

use crate::process::{Dir, Run, command, contains, each, get, run, table};

/// Folder of the emulator; `None` skips the test.
fn emulator() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = FOLDER.get_or_init(|| {
        if Command::new("c++").arg("--version").output().is_err() {
            eprintln!("skipped: there is no C++ compiler");
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cuda_emulator");
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../tests/cuda_emulator/build.sh"
        );
        let built = Command::new(script)
            .arg(&folder)
            .status()
            .expect("the script is run");
        assert!(built.success(), "the emulator is not built");
        Some(folder)
    });
    built.as_deref()
}

/// Kernels that release builds embed; NVRTC compiles them here, because the emulator runs no PTX.
const RECOMPILED: &str = "SWATH_CUDA_KERNELS=recompiled";

/// `swath` on the emulated device, with the libraries of a folder; stderr follows stdout.
fn swath(folder: &Path, line: &str) -> Run {
    let mut command = command(line);
    // The cache must contain kernels of this emulator only.
    command
        .env("LD_LIBRARY_PATH", folder)
        .env("XDG_CACHE_HOME", folder);
    let mut run = run(command.env_remove("SWATH_DEVICE"), b"");
    run.stderr
        .insert_str(0, &String::from_utf8_lossy(&run.stdout));
    run
}

/// Requires the entry of the device in the output of `swath devices`.
#[track_caller]
fn is_listed(devices: Run, parts: &str, is_usable: bool) {
    let said = devices.ends(0, "").stderr;
    let (_, listed) = said.split_once("cuda:0").expect("it is listed");
    let listed = listed.split("\n\n").next().unwrap_or(listed);
    contains(listed, parts);
    assert_eq!(
        listed.contains("yes: the first real GPU"),
        is_usable,
        "{listed}"
    );
}

#[test]
fn emulated_device_is_listed_with_its_peak_speeds() {
    let Some(folder) = emulator() else {
        return;
    };
    // Clock of 1 GHz; 32 bytes twice per cycle of the 2 GHz memory clock.
    swath(folder, "devices").ends(
        0,
        "emulated GPU | clock_hz              1000000000\n | bytes_per_second      128000000000\n",
    );
    let tiny = "bench lcs chain sort --quick --shrink 200 --device cuda:0 --json -";
    let run = swath(folder, tiny).ends(0, "");
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let mut rows: Vec<Value> = get(&report["rows"]);
    rows.retain(|row| row["ran_on"] == "emulated GPU (CUDA)");
    for row in &rows {
        let share: f64 = get(&row["share_of_ceiling"]);
        assert!(share > 0.0 && share < 1.0, "{row}");
    }
    for problem in ["lcs", "chain", "sort"] {
        assert!(
            rows.iter().any(|row| row["problem"] == problem),
            "{problem}: {rows:?}"
        );
    }
}

/// Stamps and tickets, the minimum readback, and the staging memory of uploads.
const MEMORY: [&str; 3] = ["device 4", "host 4096", "host 2097152"];

#[test]
fn kernels_give_known_answers_in_any_lane_order() {
    let Some(folder) = emulator() else {
        return;
    };
    // Idle buffers are freed before memory is requested again.
    let lacks = MEMORY.map(|memory| format!("{memory} 6 ")).concat();
    each(
        [&format!("CUDA_EMULATOR_LACKS='{lacks}'"), RECOMPILED],
        |variable| {
            let line = format!("CUDA_EMULATOR_SHUFFLE=1 {variable} selftest --device cuda:0");
            swath(folder, &line).ends(0, "kernel variants gave the known answer");
        },
    );
}

#[test]
fn driver_out_of_memory_is_reported() {
    let Some(folder) = emulator() else {
        return;
    };
    let dir = Dir::texts(&[("a", &"gattaca".repeat(500)), ("b", &"catatag".repeat(500))]);
    let [a, b] = ["a", "b"].map(|name| dir.path(name).display().to_string());
    let call = format!("lcs '{a}' '{b}' --device cuda:0 --method bit-parallel");
    let parts = [
        "'emulated GPU (CUDA)' cannot allocate",
        "cannot allocate 4096 bytes",
        "cannot allocate 2097152 bytes",
    ];
    each(MEMORY.into_iter().zip(parts), |(memory, part)| {
        swath(
            folder,
            &format!("CUDA_EMULATOR_LACKS='{memory} 1000' {call}"),
        )
        .ends(4, part);
    });
}

#[test]
fn libraries_of_other_versions_are_told_from_missing_ones() {
    let Some(folder) = emulator() else {
        return;
    };
    let libraries = tempfile::tempdir().expect("a folder");
    let link = |name: &str, new_name: &str| {
        std::os::unix::fs::symlink(folder.join(name), libraries.path().join(new_name))
            .expect("the folder takes links");
    };
    let folder = libraries.path();
    let run = |line: String| swath(folder, &line);
    link("libcuda.so", "libcuda.so");
    link("liblanes.so", "liblanes.so");
    // Embedded kernels replace a missing NVRTC on new drivers.
    let rows = if archive().is_some() {
        // The machine may have an NVRTC of its own, newer than this driver. The emulated driver
        // rejects PTX.
        let embedded = "none, embedded PTX: NVRTC, CUDA's run-time compiler, is";
        let old = "update the driver: it is of CUDA 11.4";
        vec![("12000", embedded, "INVALID_IMAGE"), ("11040", old, old)]
    } else {
        // `auto` tries another device.
        swath(folder, "lcs --text ABCBDAB BDCABA").ends(0, "");
        let release = "use a release of swath, which has kernels";
        vec![("12000", release, release)]
    };
    each(rows, |(version, listed, refused)| {
        let driver = format!("CUDA_EMULATOR_DRIVER={version}");
        is_listed(run(format!("{driver} devices")), listed, listed != refused);
        run(format!("{driver} selftest --device cuda:0")).ends(3, refused);
    });
    // A newer NVRTC is found but not used with an older driver.
    link("libnvrtc.so", "libnvrtc.so.13");
    let newer = "NVRTC, CUDA's run-time compiler, is of CUDA 14";
    let rows = [
        ("12", "shader_compiler       NVRTC", true),
        ("14", newer, archive().is_some()),
    ];
    each(rows, |(version, part, is_usable)| {
        let devices = run(format!("CUDA_EMULATOR_NVRTC={version} devices"));
        is_listed(devices, part, is_usable);
    });
}

#[test]
fn embedded_kernels_match_the_cpu() {
    let Some(folder) = emulator() else {
        return;
    };
    let dir = Dir::new(&[]);
    for letters in [4u32, 200] {
        for (name, length) in [("a", 900), ("b", 700)] {
            let letter = |place: u32| 40 + (place * place % 7919 * length / 700 % letters) as u8;
            dir.write(
                &format!("{name}{letters}"),
                (0..length).map(letter).collect::<Vec<u8>>(),
            );
        }
    }
    // Alignments verify themselves.
    let rows = "
        lcs       => on  => bit-parallel banded wavefront
        lcs       => off => conditional-sum
        edit      => on  => bit-parallel banded wavefront
        edit      => off => anti-diagonal tiled
        scs       => on  => bit-parallel banded wavefront
        scs       => off => row-wise anti-diagonal
        substring => off => cascade sort-and-scan
    ";
    each(table(rows), |[problem, path, methods]| {
        for letters in ["4", "200"] {
            let [a, b] = ["a", "b"].map(|name| dir.path(&format!("{name}{letters}")));
            let (a, b) = (a.display(), b.display());
            let run = |options: &str| {
                let call = format!("{problem} '{a}' '{b}' --json {options}");
                swath(folder, &format!("{RECOMPILED} SWATH_PATH={path} {call}"))
            };
            let values = |run: Run| {
                let answer = run.json();
                ["length", "distance"].map(|key| answer[key].clone())
            };
            let on_cpu = values(run("--device cpu"));
            for method in methods.split(' ') {
                let run = run(&format!("--device cuda:0 --method {method}"));
                let run = run.ends(0, "emulated GPU | \"interface\":\"cuda\"");
                assert_eq!(values(run), on_cpu, "{method} {letters}");
            }
        }
    });
}

#[test]
fn unusable_devices_and_kernels_are_named_with_a_reason() {
    let Some(folder) = emulator() else {
        return;
    };
    let reason = "the driver does not tell what it can do: CUDA_ERROR_NOT_PERMITTED";
    swath(folder, "CUDA_EMULATOR_BROKEN=1 devices")
        .ends(0, format!("emulated GPU (CUDA) | {reason}"));
    swath(folder, "CUDA_EMULATOR_BROKEN=1 selftest --device cuda:0").ends(3, reason);
    // The emulated driver rejects PTX.
    let (compiler, refused) = if archive().is_some() {
        ("none, embedded PTX", "INVALID_IMAGE")
    } else {
        ("none", "use a release of swath")
    };
    swath(folder, "SWATH_CUDA_KERNELS=embedded devices").ends(
        0,
        format!(
            "shader_compiler       {compiler} | SWATH_CUDA_KERNELS asks for embedded kernels alone"
        ),
    );
    let line = "SWATH_CUDA_KERNELS=embedded selftest --device cuda:0";
    let said = swath(folder, line).ends(3, refused).stderr;
    assert!(!said.contains("not among the embedded kernels"), "{said}");
    swath(folder, "SWATH_CUDA_KERNELS=ptx selftest --device cuda:0")
        .ends(3, "'ptx' | compiled, embedded, recompiled");
}
