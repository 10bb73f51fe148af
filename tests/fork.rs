//! Calls in a child of `fork`, as Python's `multiprocessing` makes them: its parent's threads do not
//! exist there.

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() {
    unix::main();
}

#[cfg(unix)]
mod unix {
    use swath::parenthesization::{MatrixChain, Method};
    use swath::{Edit, Engine, Lcs, Options, Parenthesize, Scs, Substring};

    /// Seconds after which the kernel ends a child that hangs.
    const TIME_LIMIT: u32 = 60;

    pub(super) fn main() {
        let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
        let name = "calls_in_a_forked_child_have_the_same_answers";
        if filter.is_some_and(|filter| !name.contains(&filter)) {
            return;
        }
        #[cfg(target_os = "linux")]
        small_calls_start_no_thread();
        let engines = || {
            let cpu = Options::new().device("cpu".parse().expect("a name"));
            let two = cpu.clone().threads(2);
            [cpu, two].map(|options| Engine::new(options).expect("the CPU is there"))
        };
        let older = engines();
        let expected = older.each_ref().map(answers);
        let in_child = in_child(|| {
            let younger = engines();
            older
                .iter()
                .chain(&younger)
                .all(|engine| answers(engine) == expected[0])
        });
        assert_eq!(in_child, Some(0), "exit code of the child");
        // A comparison that fails is seen.
        assert_eq!(
            self::in_child(|| answers(&older[0]) != expected[0]),
            Some(1)
        );
        println!("{name}: ok");
    }

    /// Reads are compared in less time than threads take to wake up.
    #[cfg(target_os = "linux")]
    fn small_calls_start_no_thread() {
        let cpu = Options::new().device("cpu".parse().expect("a name"));
        let engine = Engine::new(cpu).expect("the CPU is there");
        let (a, b) = (text(150, 1), text(150, 2));
        let edit = || Edit::of(&a, &b).path();
        for task in [
            edit(),
            edit().prefix(),
            edit().infix(),
            edit().infix().starts(),
        ] {
            engine.run(&task).expect("no answer");
        }
        engine.run(&Lcs::of(&a, &b).path()).expect("no answer");
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
        let threads = status
            .lines()
            .find_map(|line| line.strip_prefix("Threads:"));
        assert_eq!(threads.map(str::trim), Some("1"));
    }

    fn text(count: usize, mut state: u32) -> Vec<u8> {
        let next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b"ACGT"[(state >> 30) as usize]
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    /// Answers of calls that use all threads, also as a job on a thread of its own.
    fn answers(engine: &Engine) -> Vec<u64> {
        let (a, b) = (text(30_000, 1), text(30_000, 2));
        let sizes: Vec<u64> = (0..400).map(|size| 1 + size * 37 % 101).collect();
        let failed = "no answer";
        let lcs = engine.run(&Lcs::of(&a, &b).path()).expect(failed).length;
        let job = engine.start(Lcs::of(a.clone(), b.clone()));
        let infix = engine
            .run(&Edit::of(&a[..500], &b).infix().path())
            .expect(failed);
        let scs = engine
            .run(&Scs::of_all((0..50).map(|seed| text(40, seed))))
            .expect(failed);
        let substring = engine.run(&Substring::of(&a, &b)).expect(failed).length;
        let chain = Parenthesize::of(MatrixChain::new(sizes)).method(Method::Tiled);
        let chain = engine.run(&chain).expect(failed);
        let lists = [
            lcs,
            job.wait().expect(failed).length,
            infix.distance.exactly().expect(failed),
            scs.length,
            substring as u64,
            chain.cost,
        ];
        lists.to_vec()
    }

    /// Exit code of a forked child: 0 if `work` is true. `None` if a signal ends it.
    fn in_child(work: impl FnOnce() -> bool) -> Option<i32> {
        // SAFETY: this process has one thread besides those of the pools, which wait. The child
        // only calls the library, and ends without running destructors.
        unsafe {
            let child = libc::fork();
            assert!(child >= 0, "no child can be forked");
            if child == 0 {
                libc::alarm(TIME_LIMIT);
                libc::_exit(i32::from(!work()));
            }
            let mut status = 0;
            assert_eq!(libc::waitpid(child, &mut status, 0), child);
            libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status))
        }
    }
}
