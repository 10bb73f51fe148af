//! What help and man pages say beside the options.

/// Behind the help of `swath`.
pub const AFTER_HELP: &str = "\
Exit codes: 0 ok, 2 usage, input or output, 3 device, 4 memory, 5 verification failed, 129, 130 or 143 ended by a signal.
Every option can also be set in the environment: --mem-gpu is SWATH_MEM_GPU, and so on.";

/// Exit codes and what they mean.
pub const EXIT_CODES: [(&str, &str); 6] = [
    ("0", "ok; also when the reader of a pipe leaves early"),
    (
        "2",
        "wrong usage or input, or output that cannot be written",
    ),
    (
        "3",
        "device: unknown, unusable or lost, or one that selftest could not ask",
    ),
    ("4", "memory: no plan fits, or the inputs do not"),
    (
        "5",
        "verification failed: a certificate, a selftest, or answers of bench that differ",
    ),
    ("129, 130, 143", "ended by SIGHUP, SIGINT or SIGTERM"),
];

/// What a command is used for, and how; of `swath` itself where the name is that.
pub fn examples(command: &str) -> &'static [(&'static str, &'static str)] {
    match command {
        "swath" => &[
            ("Compare two genomes", "swath lcs a.fasta.gz b.fasta.gz"),
            ("Read about a command", "swath man edit | man -l -"),
        ],
        "lcs" => &[
            ("Length and similarity", "swath lcs a.fasta.gz b.fasta.gz"),
            (
                "The subsequence too, into a file",
                "swath lcs a.txt b.txt -o common.txt",
            ),
            (
                "What differs between two texts, by lines",
                "swath lcs old.txt new.txt --symbols lines --format diff",
            ),
            (
                "Two short strings",
                "swath lcs --text ABCBDAB BDCABA --path",
            ),
        ],
        "scs" => &[
            (
                "A string that holds both",
                "swath scs a.fasta b.fasta -o merged.txt",
            ),
            (
                "One that holds all records of a file",
                "swath scs reads.fasta --all-records --json",
            ),
        ],
        "edit" => &[
            ("The distance", "swath edit a.fasta b.fasta"),
            (
                "Every record of a query in every record of a target",
                "swath edit q.fasta t.fasta --mode infix --format paf",
            ),
            (
                "Only what is within 20 edits",
                "swath edit q.fasta t.fasta --mode infix -k 20 --starts",
            ),
            (
                "A sequence from a pipe beside one on the command line",
                "echo ACGT | swath edit - --text ACGA",
            ),
        ],
        "substring" => &[
            (
                "The longest run that two genomes share",
                "swath substring a.fasta.gz b.fasta.gz --strand both",
            ),
            (
                "All maximal matches of 1,000 bases, for a browser",
                "swath substring a.fasta.gz b.fasta.gz --strand both --min-length 1000 --format paf",
            ),
            (
                "The longest passage that two of three texts share",
                "swath substring a.txt b.txt c.txt --in-at-least 2",
            ),
        ],
        "chain" => &[
            ("Dimensions", "swath chain 10 20 30 40"),
            (
                "Shapes in a file, and the order as a graph",
                "swath chain shapes.txt --tree dot -o order.dot",
            ),
        ],
        "polygon" => &[(
            "Corners by their coordinates",
            "swath polygon corners.txt --points --tree",
        )],
        "bst" => &[(
            "Keys and the gaps between them",
            "swath bst keys.txt --gap-weights gaps.txt --tree",
        )],
        "fold" => &[(
            "A sequence on the command line",
            "swath fold --text GGGAAAUCC --tree",
        )],
        "devices" => &[("What a script can read", "swath devices --json")],
        "selftest" => &[("A device that is named", "swath selftest --device vulkan:0")],
        "bench" => &[
            (
                "What this machine does, in about a minute",
                "swath bench --quick",
            ),
            (
                "Everything, as a page with plots",
                "swath bench --html bench.html",
            ),
            (
                "One problem on two devices, as data",
                "swath bench lcs --device cpu --device vulkan:0 --json lcs.json",
            ),
            (
                "The papers' tables beside this machine",
                "swath bench --paper",
            ),
        ],
        "completions" => &[(
            "For bash",
            "swath completions bash > ~/.local/share/bash-completion/completions/swath",
        )],
        "man" => &[
            ("Read one page", "swath man lcs | man -l -"),
            ("All pages, for a package", "swath man --all man1"),
        ],
        _ => &[],
    }
}

/// The examples as they stand behind a command's help.
pub fn examples_text(command: &str) -> String {
    let lines = examples(command)
        .iter()
        .map(|(what, line)| format!("  # {what}\n  {line}\n"));
    format!("Examples:\n{}", lines.collect::<String>())
}
