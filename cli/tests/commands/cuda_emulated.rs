//! CUDA back end and kernels without a GPU, on the CPU driver and NVRTC of tests/cuda_emulator. The
//! emulator ends programs that violate CUDA's rules or access memory outside of buffers.
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;
use swath::unstable::backend::cuda::embedded::archive;

use crate::process::{Files, command, contains, each, run};

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

/// Result of `swath` on the emulated device, with the libraries of a folder.
struct Ended {
    code: Option<i32>,
    stdout: Vec<u8>,
    /// stdout and stderr.
    said: String,
}

fn swath(folder: &Path, line: &str) -> Ended {
    let mut command = command(line);
    // The cache must contain kernels of this emulator only.
    command
        .env("LD_LIBRARY_PATH", folder)
        .env("XDG_CACHE_HOME", folder);
    command.env_remove("SWATH_DEVICE");
    let run = run(command, b"");
    let said = String::from_utf8_lossy(&run.stdout).into_owned() + &run.stderr;
    Ended {
        code: run.code,
        stdout: run.stdout,
        said,
    }
}

impl Ended {
    /// Requires an answer and `parts` in it.
    #[track_caller]
    fn shows(self, parts: &str) -> String {
        assert_eq!(self.code, Some(0), "{}", self.said);
        contains(&self.said, parts);
        self.said
    }

    /// Requires a failure and `parts` of its message.
    #[track_caller]
    fn fails(self, parts: &str) -> String {
        assert_ne!(self.code, Some(0), "{}", self.said);
        contains(&self.said, parts);
        self.said
    }
}

/// Requires the entry of the device in the output of `swath devices`.
#[track_caller]
fn is_listed(said: &str, parts: &str, is_usable: bool) {
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
fn emulated_cuda_device_is_listed_and_its_speeds_are_fractions_of_the_peak() {
    let Some(folder) = emulator() else {
        return;
    };
    // Clock of 1 GHz; 32 bytes twice per cycle of the 2 GHz memory clock.
    swath(folder, "devices").shows(
        "emulated GPU | clock_hz              1000000000\n | bytes_per_second      128000000000\n",
    );
    let tiny = "bench lcs chain sort --quick --shrink 200 --device cuda:0 --json -";
    let ended = swath(folder, tiny);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    let report: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    let rows = report["rows"].as_array().expect("a list").iter();
    let rows: Vec<_> = rows
        .filter(|row| row["ran_on"] == "emulated GPU (CUDA)")
        .collect();
    let share = |row: &&Value| row["share_of_ceiling"].as_f64();
    let is_fraction = |row| share(row).is_some_and(|share| share > 0.0 && share < 1.0);
    assert!(rows.iter().all(is_fraction), "{rows:?}");
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
fn kernel_variants_give_known_answers_in_any_lane_order_and_after_short_memory() {
    let Some(folder) = emulator() else {
        return;
    };
    // Idle buffers are freed before memory is requested again.
    let lacks = MEMORY.map(|memory| format!("{memory} 6 ")).concat();
    each(
        [&format!("CUDA_EMULATOR_LACKS='{lacks}'"), RECOMPILED],
        |variable| {
            let line = format!("CUDA_EMULATOR_SHUFFLE=1 {variable} selftest --device cuda:0");
            swath(folder, &line).shows("kernel variants gave the known answer");
        },
    );
}

#[test]
fn driver_out_of_memory_is_reported() {
    let Some(folder) = emulator() else {
        return;
    };
    let files = Files::texts(&[("a", &"gattaca".repeat(500)), ("b", &"catatag".repeat(500))]);
    let [a, b] = ["a", "b"].map(|name| files.path(name).display().to_string());
    let call = format!("lcs '{a}' '{b}' --device cuda:0 --method bit-parallel");
    let parts = [
        "'emulated GPU (CUDA)' cannot allocate",
        "cannot allocate 4096 bytes",
        "cannot allocate 2097152 bytes",
    ];
    each(MEMORY.into_iter().zip(parts), |(memory, part)| {
        let ended = swath(
            folder,
            &format!("CUDA_EMULATOR_LACKS='{memory} 1000' {call}"),
        );
        assert_eq!(ended.code, Some(4));
        ended.fails(part);
    });
}

/// Folder with some libraries of the emulator.
fn with_libraries(folder: &Path, nvrtc: Option<&str>) -> tempfile::TempDir {
    let libraries = tempfile::tempdir().expect("a folder");
    let names = [
        ("cuda.so", Some("cuda.so")),
        ("lanes.so", Some("lanes.so")),
        ("nvrtc.so", nvrtc),
    ];
    for (name, new_name) in names {
        let Some(new_name) = new_name else { continue };
        let [name, new_name] = [
            folder.join(format!("lib{name}")),
            libraries.path().join(format!("lib{new_name}")),
        ];
        std::os::unix::fs::symlink(name, new_name).expect("the folder takes links");
    }
    libraries
}

#[test]
fn newer_nvrtc_is_found_but_not_used_with_an_older_driver() {
    let Some(folder) = emulator() else {
        return;
    };
    let renamed = with_libraries(folder, Some("nvrtc.so.13"));
    let newer = "NVRTC, CUDA's run-time compiler, is of CUDA 14";
    let rows = [
        ("12", "shader_compiler       NVRTC", true),
        ("14", newer, archive().is_some()),
    ];
    each(rows, |(version, part, is_usable)| {
        let devices = format!("CUDA_EMULATOR_NVRTC={version} devices");
        is_listed(&swath(renamed.path(), &devices).shows(""), part, is_usable);
    });
}

#[test]
fn embedded_kernels_replace_a_missing_nvrtc_on_new_drivers() {
    let Some(folder) = emulator() else {
        return;
    };
    let libraries = with_libraries(folder, None);
    let folder = libraries.path();
    let rows = if archive().is_some() {
        // The machine may have an NVRTC of its own, newer than this driver. The emulated driver
        // rejects PTX.
        let embedded = "none, embedded PTX: NVRTC, CUDA's run-time compiler, is";
        let old = "update the driver: it is of CUDA 11.4";
        vec![("12000", embedded, "INVALID_IMAGE"), ("11040", old, old)]
    } else {
        let release = "use a release of swath, which has kernels";
        vec![("12000", release, release)]
    };
    each(rows, |(version, listed, refused)| {
        let run = |call| swath(folder, &format!("CUDA_EMULATOR_DRIVER={version} {call}"));
        is_listed(&run("devices").shows(""), listed, listed != refused);
        run("selftest --device cuda:0").fails(refused);
    });
    if archive().is_none() {
        // `auto` tries another device.
        swath(folder, "lcs --text ABCBDAB BDCABA").shows("");
    }
}

#[test]
fn embedded_kernel_shapes_match_the_cpu_for_all_symbols_and_methods() {
    let Some(folder) = emulator() else {
        return;
    };
    let files = Files::new(&[]);
    for letters in [4u32, 200] {
        for (name, length) in [("a", 900), ("b", 700)] {
            let letter = |place: u32| 40 + (place * place % 7919 * length / 700 % letters) as u8;
            files.write(
                &format!("{name}{letters}"),
                (0..length).map(letter).collect::<Vec<u8>>(),
            );
        }
    }
    // Alignments verify themselves.
    let rows = [
        ("lcs", "on", "bit-parallel banded wavefront"),
        ("lcs", "off", "conditional-sum"),
        ("edit", "on", "bit-parallel banded wavefront"),
        ("edit", "off", "anti-diagonal tiled"),
        ("scs", "on", "bit-parallel banded wavefront"),
        ("scs", "off", "row-wise anti-diagonal"),
        ("substring", "off", "cascade sort-and-scan"),
    ];
    each(rows, |(problem, path, methods)| {
        for letters in ["4", "200"] {
            let [a, b] = ["a", "b"].map(|name| files.path(&format!("{name}{letters}")));
            let (a, b) = (a.display(), b.display());
            let run = |options: &str| {
                let call = format!("{problem} '{a}' '{b}' --json {options}");
                swath(folder, &format!("{RECOMPILED} SWATH_PATH={path} {call}"))
            };
            let on_cpu = run("--device cpu").shows("");
            for method in methods.split(' ') {
                let said = run(&format!("--device cuda:0 --method {method}"));
                let said = said.shows("emulated GPU | \"interface\":\"cuda\"");
                for name in ["length", "distance"] {
                    assert_eq!(
                        number(&on_cpu, name),
                        number(&said, name),
                        "{method} {letters}"
                    );
                }
            }
        }
    });
}

/// First number with this key in a JSON text.
fn number<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = json.split_once(&format!("\"{name}\":"))?;
    value.trim_start().split([',', '}', '\n']).next()
}

#[test]
fn unusable_devices_and_kernels_are_named_with_a_reason() {
    let Some(folder) = emulator() else {
        return;
    };
    let reason = "the driver does not tell what it can do: CUDA_ERROR_NOT_PERMITTED";
    swath(folder, "CUDA_EMULATOR_BROKEN=1 devices")
        .shows(&format!("emulated GPU (CUDA) | {reason}"));
    swath(folder, "CUDA_EMULATOR_BROKEN=1 selftest --device cuda:0").fails(reason);
    // The emulated driver rejects PTX.
    let (compiler, refused) = if archive().is_some() {
        ("none, embedded PTX", "INVALID_IMAGE")
    } else {
        ("none", "use a release of swath")
    };
    swath(folder, "SWATH_CUDA_KERNELS=embedded devices").shows(&format!(
        "shader_compiler       {compiler} | SWATH_CUDA_KERNELS asks for embedded kernels alone"
    ));
    let said = swath(
        folder,
        "SWATH_CUDA_KERNELS=embedded selftest --device cuda:0",
    )
    .fails(refused);
    assert!(!said.contains("not among the embedded kernels"), "{said}");
    swath(folder, "SWATH_CUDA_KERNELS=ptx selftest --device cuda:0")
        .fails("'ptx' | compiled, embedded, recompiled");
}
