//! CUDA back end and kernels without a GPU, on the CPU driver and NVRTC of tests/cuda_emulator. The
//! emulator ends programs that violate CUDA's rules or access memory outside of buffers.
use std::path::Path;
use std::process::{Command, Output};

use swath::unstable::backend::cuda::embedded::archive;

use crate::emulator;

/// Kernels that release builds embed; NVRTC compiles them here, because the emulator runs no PTX.
const RECOMPILED: (&str, &str) = ("SWATH_CUDA_KERNELS", "recompiled");

/// Runs `swath` on the emulated device, with the libraries of a folder and these variables.
fn swath(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> (Output, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_swath"));
    emulator::on(command.args(arguments), folder).envs(environment.iter().copied());
    emulator::ended(command)
}

/// Entry of the device in the output of `swath devices`.
fn cuda_device(said: &str) -> &str {
    let (_, listed) = said.split_once("cuda:0").expect("it is listed");
    listed.split("\n\n").next().unwrap_or(listed)
}

#[test]
fn emulated_cuda_device_is_listed() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    let (output, said) = swath(folder, &["devices"], &[]);
    assert!(
        output.status.success() && said.contains("emulated GPU"),
        "{said}"
    );
    // Clock of 1 GHz; 32 bytes twice per cycle of the 2 GHz memory clock.
    for told in [
        "clock_hz              1000000000\n",
        "bytes_per_second      128000000000\n",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
}

#[test]
fn speeds_are_fractions_of_the_peak_if_the_driver_reports_clocks() {
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

/// Stamps and tickets, the minimum readback, and the staging memory of uploads.
const MEMORY: [&str; 3] = ["device 4", "host 4096", "host 2097152"];

#[test]
fn kernel_variants_give_known_answers_in_any_lane_order_and_after_short_memory() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    // Idle buffers are freed before memory is requested again.
    let lacks = MEMORY.map(|memory| format!("{memory} 6 ")).concat();
    for environment in [("CUDA_EMULATOR_LACKS", &lacks[..]), RECOMPILED] {
        let environment = [environment, emulator::SHUFFLED];
        let (output, said) = swath(folder, &["selftest", "--device", "cuda:0"], &environment);
        assert!(
            output.status.success() && said.contains("kernel variants gave the known answer"),
            "{said}"
        );
    }
}

#[test]
fn driver_out_of_memory_is_reported() {
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
    let expected = [
        "'emulated GPU (CUDA)' cannot allocate",
        "cannot allocate 4096 bytes",
        "cannot allocate 2097152 bytes",
    ];
    for (memory, expected) in MEMORY.into_iter().zip(expected) {
        let (output, said) = swath(
            folder,
            &call,
            &[("CUDA_EMULATOR_LACKS", &format!("{memory} 1000"))],
        );
        assert!(
            output.status.code() == Some(4) && said.contains(expected),
            "{memory}: {said}"
        );
    }
}

#[test]
fn newer_nvrtc_is_found_but_not_used_with_an_older_driver() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    let names = [
        ("libcuda.so", "libcuda.so"),
        ("liblanes.so", "liblanes.so"),
        ("libnvrtc.so", "libnvrtc.so.13"),
    ];
    let renamed = with_libraries(folder, &names);
    for (version, expected, is_usable) in [
        ("12", "shader_compiler       NVRTC", true),
        (
            "14",
            "NVRTC, CUDA's run-time compiler, is of CUDA 14",
            archive().is_some(),
        ),
    ] {
        let (output, said) = swath(
            renamed.path(),
            &["devices"],
            &[("CUDA_EMULATOR_NVRTC", version)],
        );
        assert!(
            output.status.success()
                && cuda_device(&said).contains(expected)
                && cuda_device(&said).contains("yes: the first real GPU") == is_usable,
            "{version}: {said}"
        );
    }
}

/// Folder with the emulator's libraries under other names.
fn with_libraries(folder: &Path, names: &[(&str, &str)]) -> tempfile::TempDir {
    let renamed = tempfile::tempdir().expect("a folder");
    for (name, new_name) in names {
        std::os::unix::fs::symlink(folder.join(name), renamed.path().join(new_name))
            .expect("the folder takes links");
    }
    renamed
}

#[test]
fn embedded_kernels_replace_a_missing_nvrtc_on_new_drivers() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    let libraries = with_libraries(
        folder,
        &[("libcuda.so", "libcuda.so"), ("liblanes.so", "liblanes.so")],
    );
    let new_driver = "12000";
    let versions: &[_] = if archive().is_some() {
        &[
            // The machine may have an NVRTC of its own, newer than this driver.
            (
                new_driver,
                "none, embedded PTX: NVRTC, CUDA's run-time compiler, is",
            ),
            ("11040", "update the driver: it is of CUDA 11.4"),
        ]
    } else {
        &[(new_driver, "use a release of swath, which has kernels")]
    };
    for &(version, expected) in versions {
        let is_usable = archive().is_some() && version == new_driver;
        let environment = [("CUDA_EMULATOR_DRIVER", version)];
        let (output, said) = swath(libraries.path(), &["devices"], &environment);
        let listed = cuda_device(&said);
        assert!(
            output.status.success()
                && listed.contains(expected)
                && listed.contains("yes: the first real GPU") == is_usable,
            "{version}: {said}"
        );
        let (output, said) = swath(
            libraries.path(),
            &["selftest", "--device", "cuda:0"],
            &environment,
        );
        // The emulated driver rejects PTX.
        let refused = if is_usable { "INVALID_IMAGE" } else { expected };
        assert!(
            !output.status.success() && said.contains(refused),
            "{version}: {said}"
        );
    }
    if archive().is_none() {
        // `auto` tries another device.
        let (output, said) = swath(
            libraries.path(),
            &["lcs", "--text", "ABCBDAB", "BDCABA"],
            &[],
        );
        assert!(output.status.success(), "{said}");
    }
}

#[test]
fn embedded_kernel_shapes_match_the_cpu_for_all_symbols_and_methods() {
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
                // The first methods have paths, which verify themselves.
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

/// First number with this key in a JSON text.
fn number<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = json.split_once(&format!("\"{name}\":"))?;
    value.trim_start().split([',', '}', '\n']).next()
}

#[test]
fn unusable_cuda_device_is_listed_with_its_error() {
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
fn environment_selects_embedded_kernels() {
    let Some(folder) = emulator::emulator() else {
        return;
    };
    let embedded =
        |arguments: &[&str]| swath(folder, arguments, &[("SWATH_CUDA_KERNELS", "embedded")]);
    // The emulated driver rejects PTX.
    let (compiler, refused) = if archive().is_some() {
        ("none, embedded PTX", "INVALID_IMAGE")
    } else {
        ("none", "use a release of swath")
    };
    let (output, said) = embedded(&["devices"]);
    assert!(
        output.status.success()
            && said.contains(&format!("shader_compiler       {compiler}"))
            && said.contains("SWATH_CUDA_KERNELS asks for embedded kernels alone"),
        "{said}"
    );
    let (output, said) = embedded(&["selftest", "--device", "cuda:0"]);
    assert!(
        !output.status.success()
            && said.contains(refused)
            && !said.contains("not among the embedded kernels"),
        "{said}"
    );
}

#[test]
fn unknown_kernel_source_in_the_environment_is_an_error() {
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
