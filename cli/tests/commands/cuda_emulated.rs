//! The CUDA back end and its kernels without a GPU: under a driver and an NVRTC that run on the CPU, built from
//! tests/cuda_emulator. They end a program whose lanes break a rule of CUDA's or touch what no buffer holds.
use std::path::Path;
use std::process::{Command, Output};

use crate::emulator;

/// No kernels run but those that are embedded; NVRTC compiles them, because the emulator runs no PTX.
const RECOMPILED: (&str, &str) = ("SWATH_CUDA_KERNELS", "recompiled");

/// What the program says on the emulated device, with the libraries of a folder and in this environment.
fn swath(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> (Output, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_swath"));
    emulator::on(command.args(arguments), folder).envs(environment.iter().copied());
    emulator::ended(command)
}

#[test]
fn the_emulated_device_is_listed() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    let (output, said) = swath(folder, &["devices"], &[]);
    assert!(
        output.status.success() && said.contains("emulated GPU"),
        "{said}"
    );
    // A clock of 1 GHz, and 32 bytes twice a cycle of the memory's 2 GHz.
    for told in [
        "clock_hz              1000000000\n",
        "bytes_per_second      128000000000\n",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
}

#[test]
fn speeds_are_shares_of_a_ceiling_where_the_driver_tells_its_clocks() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    let tiny = [
        "bench", "lcs", "chain", "sort", "--quick", "--shrink", "200", "--device", "cuda:0",
        "--json", "-",
    ];
    let (output, said) = swath(folder, &tiny, &[]);
    assert!(output.status.success(), "{said}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = report["rows"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|row| row["ran_on"] == "emulated GPU (CUDA)");
    let shares: Vec<_> = rows
        .map(|row| (&row["problem"], &row["share_of_ceiling"]))
        .collect();
    assert!(
        shares.iter().all(|(_, share)| share
            .as_f64()
            .is_some_and(|share| share > 0.0 && share < 1.0)),
        "{shares:?}"
    );
    for problem in ["lcs", "chain", "sort"] {
        assert!(
            shares.iter().any(|(of, _)| **of == problem),
            "{problem}: {shares:?}"
        );
    }
}

#[test]
fn every_variant_of_the_kernels_gives_the_known_answer_in_any_order_of_lanes() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    for environment in [
        &[][..],
        &[emulator::SHUFFLED],
        &[RECOMPILED, emulator::SHUFFLED],
    ] {
        let (output, said) = swath(folder, &["selftest", "--device", "cuda:0"], environment);
        assert!(
            output.status.success() && said.contains("kernel variants gave the known answer"),
            "{said}"
        );
    }
}

#[test]
fn memory_that_the_driver_lacks_is_told_as_such_and_the_device_goes_on_once_it_has_some() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    let inputs = tempfile::tempdir().expect("a folder");
    let files = ["gattaca", "catatag"].map(|repeated| {
        let file = inputs.path().join(repeated);
        std::fs::write(&file, repeated.repeat(500)).expect("written");
        file.to_string_lossy().into_owned()
    });
    let call = [
        "lcs",
        &files[0],
        &files[1],
        "--device",
        "cuda:0",
        "--method",
        "bit-parallel",
    ];
    // Stamps and turns, the smallest readback, and what uploads go through.
    for (memory, expected) in [
        ("device 4", "'emulated GPU (CUDA)' cannot allocate"),
        ("host 4096", "no 4096 bytes now"),
        ("host 2097152", "no 2097152 bytes now"),
    ] {
        let (output, said) = swath(
            folder,
            &call,
            &[("CUDA_EMULATOR_LACKS", &format!("{memory} 1000"))],
        );
        assert!(
            output.status.code() == Some(4) && said.contains(expected),
            "{memory}: {said}"
        );
        // What lies idle is dropped before memory of the device is asked for once more.
        let (output, said) = swath(
            folder,
            &["selftest", "--device", "cuda:0"],
            &[("CUDA_EMULATOR_LACKS", &format!("{memory} 6"))],
        );
        assert!(output.status.success(), "{memory}: {said}");
    }
}

#[test]
fn a_compiler_is_found_by_its_newer_name_and_not_used_where_it_is_newer_than_the_driver() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    let names = [
        ("libcuda.so", "libcuda.so"),
        ("liblanes.so", "liblanes.so"),
        ("libnvrtc.so", "libnvrtc.so.13"),
    ];
    let renamed = with_libraries(folder, &names);
    for (version, expected) in [
        ("12", "shader_compiler       NVRTC"),
        (
            "14",
            "none, embedded PTX: NVRTC, CUDA's run-time compiler, is of CUDA 14",
        ),
    ] {
        let (output, said) = swath(
            renamed.path(),
            &["devices"],
            &[("CUDA_EMULATOR_NVRTC", version)],
        );
        let is_chosen = said.contains("yes: the first real GPU");
        assert!(
            output.status.success() && is_chosen && said.contains(expected),
            "{version}: {said}"
        );
    }
}

/// A folder with libraries of the emulator under other names.
fn with_libraries(folder: &Path, names: &[(&str, &str)]) -> tempfile::TempDir {
    let renamed = tempfile::tempdir().expect("a folder");
    for (name, new_name) in names {
        std::os::unix::fs::symlink(folder.join(name), renamed.path().join(new_name))
            .expect("the folder takes links");
    }
    renamed
}

#[test]
fn without_a_compiler_embedded_kernels_are_listed_and_with_an_old_driver_auto_moves_on() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    let libraries = with_libraries(
        folder,
        &[("libcuda.so", "libcuda.so"), ("liblanes.so", "liblanes.so")],
    );
    // Another machine's own compiler may be found, which is newer than this driver.
    let versions = [
        (
            "12000",
            true,
            "none, embedded PTX: NVRTC, CUDA's run-time compiler, is",
        ),
        ("11040", false, "update the driver: it is of CUDA 11.4"),
    ];
    for (version, is_chosen, expected) in versions {
        let environment = [("CUDA_EMULATOR_DRIVER", version)];
        let (output, said) = swath(libraries.path(), &["devices"], &environment);
        let listed = said
            .split("cuda:0")
            .nth(1)
            .expect("it is listed")
            .to_string();
        assert!(
            output.status.success() && said.contains(expected),
            "{version}: {said}"
        );
        assert_eq!(
            listed.contains("yes: the first real GPU"),
            is_chosen,
            "{version}: {said}"
        );
        let (output, said) = swath(
            libraries.path(),
            &["selftest", "--device", "cuda:0"],
            &environment,
        );
        // The emulated driver loads no PTX.
        let refused = if is_chosen { "INVALID_IMAGE" } else { expected };
        assert!(
            !output.status.success() && said.contains(refused),
            "{version}: {said}"
        );
    }
}

#[test]
fn embedded_kernels_answer_as_the_cpu_does_whatever_the_symbols_and_the_method() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    let inputs = tempfile::tempdir().expect("a folder");
    let mut files = Vec::new();
    for letters in [4u32, 200] {
        for (name, length) in [("a", 900), ("b", 700)] {
            let text: Vec<u8> = (0..length)
                .map(|place| 40 + (place * place % 7919 * length / 700 % letters) as u8)
                .collect();
            let file = inputs.path().join(format!("{name}{letters}"));
            std::fs::write(&file, text).expect("written");
            files.push(file.to_string_lossy().into_owned());
        }
    }
    let sequences = ["lcs", "edit", "scs", "substring"];
    let methods = [
        &["bit-parallel", "banded", "wavefront", "conditional-sum"][..],
        &[
            "bit-parallel",
            "banded",
            "wavefront",
            "anti-diagonal",
            "tiled",
        ],
        &[
            "bit-parallel",
            "banded",
            "wavefront",
            "row-wise",
            "anti-diagonal",
        ],
        &["cascade", "sort-and-scan"],
    ];
    for pair in files.chunks(2) {
        for (problem, methods) in sequences.iter().zip(methods) {
            for (place, method) in methods.iter().enumerate() {
                // The methods that come first have paths, which prove themselves.
                let path = if place < 3 && *problem != "substring" {
                    "on"
                } else {
                    "off"
                };
                let ask = |method: &[&str], device| {
                    let arguments = [
                        &[*problem, &pair[0], &pair[1], "--device", device, "--json"],
                        method,
                    ]
                    .concat();
                    swath(folder, &arguments, &[RECOMPILED, ("SWATH_PATH", path)])
                };
                let ((_, on_cpu), (output, said)) =
                    (ask(&[], "cpu"), ask(&["--method", method], "cuda:0"));
                let on_gpu =
                    said.contains("emulated GPU") && said.contains("\"interface\":\"cuda\"");
                let differs = ["length", "distance"]
                    .into_iter()
                    .any(|name| number(&on_cpu, name) != number(&said, name));
                assert!(
                    output.status.success() && on_gpu && !differs,
                    "{problem} {method} {}: {said}\n{on_cpu}",
                    pair[0]
                );
            }
        }
    }
}

/// The first number of this name in an object.
fn number<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = json.split_once(&format!("\"{name}\":"))?;
    value.trim_start().split([',', '}', '\n']).next()
}

#[test]
fn auto_asks_a_device_for_known_answers_once_and_passes_over_one_that_gives_others() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    let inputs = tempfile::tempdir().expect("a folder");
    let files = ["a", "b"].map(|name| {
        let mut state = name.len() as u32 + u32::from(name.as_bytes()[0]);
        let next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b"ACGT"[(state >> 30) as usize]
        };
        let file = inputs.path().join(name);
        std::fs::write(
            &file,
            std::iter::repeat_with(next)
                .take(1_200_000)
                .collect::<Vec<u8>>(),
        )
        .expect("written");
        file.to_string_lossy().into_owned()
    });
    for (wrong, reason) in [
        (None, "the first real GPU"),
        (Some("1"), "its self-test failed: taken only when asked for"),
    ] {
        let cache = tempfile::tempdir().expect("a folder");
        let kept_in = |folder: &str| {
            std::fs::read_dir(cache.path().join(folder))
                .into_iter()
                .flatten()
                .count()
        };
        let kept = || kept_in("swath/cuda");
        let cache_folder = cache.path().to_string_lossy().into_owned();
        let mut environment = vec![("XDG_CACHE_HOME", cache_folder.as_str())];
        environment.extend(wrong.map(|wrong| ("CUDA_EMULATOR_WRONG", wrong)));
        // One thread would take seconds.
        let call = [
            "lcs",
            &files[0],
            &files[1],
            "--device",
            "auto",
            "--threads",
            "1",
        ];
        let plan = [&call[..], &["--dry-run"]].concat();
        let (output, said) = swath(folder, &plan, &environment);
        assert!(
            output.status.success() && said.contains("(CUDA)") && kept() == 0,
            "a plan has asked it: {said}"
        );
        let (output, said) = swath(folder, &call, &environment);
        assert!(output.status.success(), "{said}");
        let after_first = kept();
        assert!(after_first >= 1, "nothing is kept: {said}");
        // How soon any device was open, how soon this one, and how fast it is.
        assert_eq!(kept_in("swath/devices"), 3, "{said}");
        // Nothing says any more that it is slow.
        let forget = || std::fs::remove_dir_all(cache.path().join("swath/devices"));
        forget().expect("they were kept");
        let (output, said) = swath(folder, &call, &environment);
        assert!(
            output.status.success() && kept() == after_first,
            "it is asked again: {said}"
        );
        // Another card of the same name is asked, too.
        let another = [&environment[..], &[("CUDA_EMULATOR_UUID", "2")]].concat();
        forget().ok();
        let (output, said) = swath(folder, &call, &another);
        assert!(
            output.status.success() && kept() == after_first + 1,
            "{} of {after_first}: {said}",
            kept()
        );
        // What is kept counts, whatever the device would say now.
        let (output, said) = swath(folder, &["devices"], &environment[..1]);
        let listed = said.split("cuda:0").nth(1).expect("it is listed");
        assert!(output.status.success() && listed.contains(reason), "{said}");
    }
}

#[test]
fn a_device_that_the_driver_tells_nothing_of_is_listed_with_the_reason() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    let broken = [("CUDA_EMULATOR_BROKEN", "1")];
    let reason = "the driver does not tell what it can do: CUDA_ERROR_NOT_PERMITTED";
    let (output, said) = swath(folder, &["devices"], &broken);
    assert!(
        output.status.success() && said.contains("emulated GPU (CUDA)") && said.contains(reason),
        "{said}"
    );
    let (output, said) = swath(folder, &["selftest", "--device", "cuda:0"], &broken);
    assert!(!output.status.success() && said.contains(reason), "{said}");
}

#[test]
fn embedded_ptx_goes_to_the_driver_as_it_is() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    let embedded =
        |arguments: &[&str]| swath(folder, arguments, &[("SWATH_CUDA_KERNELS", "embedded")]);
    let (output, said) = embedded(&["devices"]);
    let expected = "none, embedded PTX: SWATH_CUDA_KERNELS asks for embedded ones alone";
    assert!(output.status.success() && said.contains(expected), "{said}");
    // The emulated driver loads none.
    let (output, said) = embedded(&["selftest", "--device", "cuda:0"]);
    let refused =
        said.contains("INVALID_IMAGE") && !said.contains("not among the embedded kernels");
    assert!(!output.status.success() && refused, "{said}");
}

#[test]
fn an_environment_that_names_no_origin_of_kernels_is_an_error_with_those_that_there_are() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    let environment = [("SWATH_CUDA_KERNELS", "ptx")];
    let (output, said) = swath(folder, &["selftest", "--device", "cuda:0"], &environment);
    assert!(
        !output.status.success()
            && said.contains("'ptx'")
            && said.contains("compiled, embedded, recompiled"),
        "{said}"
    );
}
