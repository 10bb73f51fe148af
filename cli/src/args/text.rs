//! Text of help and man pages besides the options.

use std::sync::LazyLock;

/// Output of `swath --version` after the name.
pub static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let known = |fact: &'static str| if fact.is_empty() { "unknown" } else { fact };
    let features = [
        ("gpu", cfg!(feature = "gpu")),
        ("cuda", cfg!(feature = "cuda")),
        ("static-dxc", cfg!(feature = "static-dxc")),
    ];
    let features = features
        .iter()
        .filter_map(|&(name, is_built)| is_built.then_some(name))
        .collect::<Vec<_>>();
    let mut lines = vec![
        env!("CARGO_PKG_VERSION").to_string(),
        format!("commit    {}", known(env!("SWATH_BUILD_COMMIT"))),
        format!("target    {}", known(env!("SWATH_BUILD_TARGET"))),
        format!(
            "features  {}",
            if features.is_empty() {
                "none".to_string()
            } else {
                features.join(", ")
            }
        ),
    ];
    if cfg!(feature = "gpu") {
        lines.push(format!("wgpu      {}", known(env!("SWATH_BUILD_WGPU"))));
    }
    lines.join("\n")
});

pub const AFTER_HELP: &str = "\
Exit codes: 0 ok, 1 differs with --exit-code, 2 usage, input or output, 3 device, 4 memory, 5 verification failed, 129, 130 or 143 ended by a signal.
Every option can also be set in the environment: --mem-gpu is SWATH_MEM_GPU, and so on.";

pub const EXIT_CODES: [(&str, &str); 7] = [
    ("0", "ok; also if the reader of a pipe closes it early"),
    (
        "1",
        "with --exit-code: the inputs differ, or nothing was found",
    ),
    ("2", "usage, input or output error"),
    (
        "3",
        "device: unknown, unusable or lost, or without an answer to selftest",
    ),
    ("4", "memory: no plan fits, or the inputs do not fit"),
    (
        "5",
        "verification failed: a certificate, a selftest, or differing answers in bench",
    ),
    ("129, 130, 143", "ended by SIGHUP, SIGINT or SIGTERM"),
];

pub fn examples(command: &str) -> &'static [(&'static str, &'static str)] {
    match command {
        "swath" => &[
            ("Compare two genomes", "swath lcs a.fasta.gz b.fasta.gz"),
            ("Read about a command", "swath man edit | man -l -"),
        ],
        "lcs" => &[
            ("Length and similarity", "swath lcs a.fasta.gz b.fasta.gz"),
            (
                "Write the subsequence to a file",
                "swath lcs a.txt b.txt -o common.txt",
            ),
            (
                "Line differences of two texts",
                "swath lcs old.txt new.txt --symbols lines --format diff",
            ),
            (
                "Two short strings",
                "swath lcs --text ABCBDAB BDCABA --path",
            ),
        ],
        "scs" => &[
            (
                "Shortest string that contains both",
                "swath scs a.fasta b.fasta -o merged.txt",
            ),
            (
                "Supersequence of all records of a file",
                "swath scs reads.fasta --all-records --json",
            ),
        ],
        "edit" => &[
            ("The distance", "swath edit a.fasta b.fasta"),
            (
                "Find every record of a query in every record of a target",
                "swath edit q.fasta t.fasta --mode infix --format paf",
            ),
            (
                "Only matches within 20 edits, with their starts",
                "swath edit q.fasta t.fasta --mode infix -k 20 --starts",
            ),
            (
                "A sequence from a pipe and one on the command line",
                "echo ACGT | swath edit - --text ACGA",
            ),
        ],
        "join" => &[(
            "One matrix of the parts that several machines have computed",
            "swath join part-*.npy -o all.npy",
        )],
        "compare" => &[
            (
                "What differs between two assemblies",
                "swath compare a.fasta b.fasta --format tsv",
            ),
            (
                "The same as VCF, with a.fasta as the reference",
                "swath compare a.fasta b.fasta --format vcf -o b.vcf",
            ),
        ],
        "pairs" => &[
            (
                "Barcodes in reads, with up to 3 edits",
                "swath pairs barcodes.fasta reads.fastq.gz --mode infix -k 3",
            ),
            (
                "Distance matrix of all lines of a file, for NumPy",
                "swath pairs words.txt --format npy -o words.npy",
            ),
            (
                "The 5 most similar targets of each query, with CIGARs",
                "swath pairs q.fasta t.fasta --top 5 --normalized --path",
            ),
            (
                "One of 64 equal parts of a large job",
                "swath pairs q.fasta t.fasta -k 12 --shard 3/64 -o part-3.tsv --resume",
            ),
        ],
        "neighbors" => &[
            (
                "All pairs of T-cell receptors within 2 edits",
                "swath neighbors cdr3.txt -k 2 -o near.tsv",
            ),
            (
                "Reads that match a list of barcodes with up to 1 edit",
                "swath neighbors reads.fastq.gz barcodes.fasta -k 1",
            ),
            (
                "Clusters of UMIs with their counts, as UMI-tools makes them",
                "swath neighbors umis.txt -k 1 --clusters directional --counts last",
            ),
            (
                "Clusters of UMIs within each cell, whose barcode is column 1: a row for each cluster",
                "swath neighbors cells.tsv -k 1 --by 1 --clusters directional --counts last --members",
            ),
        ],
        "search" => &[
            (
                "All places of guides within 4 edits that an NGG follows, on both strands",
                "swath search guides.fa genome.fa.gz -k 4 --strand both --pam NGG",
            ),
            (
                "Best places of adapters in reads, with CIGARs",
                "swath search adapters.fa reads.fq.gz -k 3 --all best --path",
            ),
            (
                "Motifs with ambiguous letters, for a genome browser",
                "swath search motifs.txt genome.fa -k 1 --ambiguous iupac --format bed -o motifs.bed",
            ),
            (
                "Places of reads on both strands, the best of each read as the primary one",
                "swath search reads.fq.gz genome.fa.gz -k 5 --strand both --format bam -o reads.bam",
            ),
        ],
        "substring" => &[
            (
                "Longest common substring of two genomes",
                "swath substring a.fasta.gz b.fasta.gz --strand both",
            ),
            (
                "All maximal matches of at least 1,000 bases, for a genome browser",
                "swath substring a.fasta.gz b.fasta.gz --strand both --min-length 1000 --format paf",
            ),
            (
                "Longest passage common to two of three texts",
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
            "Vertices by their coordinates",
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
        "devices" => &[("JSON for scripts", "swath devices --json")],
        "selftest" => &[("Test one device", "swath selftest --device vulkan:0")],
        "bench" => &[
            ("Quick run of about a minute", "swath bench --quick"),
            (
                "Everything, as a page with plots",
                "swath bench --html bench.html",
            ),
            (
                "One problem on two devices, as data",
                "swath bench lcs --device cpu --device vulkan:0 --json lcs.json",
            ),
            (
                "The papers' tables next to this machine",
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

pub fn examples_text(command: &str) -> String {
    let lines = examples(command)
        .iter()
        .map(|(what, line)| format!("  # {what}\n  {line}\n"));
    let lines = lines.collect::<String>();
    format!(
        "Examples:\n{lines}\nEvery option can be set in the environment: --mem-gpu is SWATH_MEM_GPU."
    )
}
