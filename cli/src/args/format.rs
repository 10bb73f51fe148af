//! Formats of witnesses.

use clap::ValueEnum;

/// Format of a problem's witness.
pub trait WitnessFormat: ValueEnum + Copy + PartialEq + Send + Sync + 'static {
    const WITNESS: &'static str;
    /// JSON fields of the answer, besides the common ones.
    const FIGURES: &'static str;
    const JSON: Self;
    const DEFAULT: &'static str = "text";

    /// Returns `true` for JSON of any kind.
    fn is_json(self) -> bool {
        self == Self::JSON
    }

    fn is_bam(self) -> bool {
        false
    }

    /// True for SAM and BAM, which have a header and mark the best pair of each record of the first
    /// input.
    fn is_sam(self) -> bool {
        false
    }

    /// True if a witness of bytes or characters ends without a newline.
    fn is_unended(self) -> bool {
        false
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LcsFormat {
    /// The subsequence itself: bytes and characters as they are, lines one per line, tokens
    /// separated by spaces
    Text,
    /// Runs of pairs, tab-separated: position in A, position in B (from 0) and length
    Blocks,
    /// Edit script: `120= 3D 1I` is 120 pairs, 3 symbols only in A, 1 only in B
    Ops,
    /// Unified diff of lines or tokens; `[-only A-]{+only B+}` within the text for bytes and
    /// characters
    Diff,
    /// The JSON object of --json, with the blocks
    Json,
    /// One JSON object per run of pairs
    Ndjson,
    /// A dot plot of the runs of pairs
    Svg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScsFormat {
    /// The supersequence itself: bytes and characters as they are, lines one per line, tokens
    /// separated by spaces
    Text,
    /// The JSON object of --json, with the string and the positions of each input in it
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EditFormat {
    /// A above B with marks between them: | equal, . unequal; lines and tokens one per line after '
    /// ', '-' or '+'
    Text,
    /// CIGAR with M for equal and unequal pairs
    Cigar,
    /// CIGAR with = and X
    Cigarx,
    /// One PAF line with cg:Z: in = and X
    Paf,
    /// Edit script: `120= 1X 3I` is 120 equal pairs, one unequal pair, 3 symbols only in A
    Ops,
    /// Unified diff of lines or tokens; `[-only A-]{+only B+}` within the text for bytes and
    /// characters
    Diff,
    /// The JSON object of --json, with the alignment
    Json,
    /// SAM: the query's letters, its place in the target, a CIGAR with = and X
    Sam,
    /// BAM: the same in binary, for a file or a pipe
    Bam,
    /// A dot plot of the runs of pairs
    Svg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// One difference per line, tab-separated: places in A and B, strand, kind, alleles, context
    #[value(alias = "text")]
    Tsv,
    /// VCF 4.3 with A as the reference
    Vcf,
    /// One PAF line per pair of records, two if an origin lies within; B is the query
    Paf,
    /// The JSON object of --json, with the differences
    Json,
    /// A dot plot of the common substrings from which records were paired
    Svg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SubstringFormat {
    /// The substrings themselves, one per line; lines and tokens as they are
    Text,
    /// One place or match per line, tab-separated: names, start, end, strand and length
    Tsv,
    /// BED: one line per place, or two per match
    Bed,
    /// One PAF line with cg:Z: per match
    Paf,
    /// The JSON object of --json, with the substrings
    Json,
    /// A dot plot of the matches of two inputs
    Svg,
}

impl WitnessFormat for LcsFormat {
    const WITNESS: &'static str = "subsequence";
    const FIGURES: &'static str = "length, similarity";
    const JSON: Self = Self::Json;

    fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Ndjson)
    }

    fn is_unended(self) -> bool {
        self == Self::Text
    }
}

impl WitnessFormat for ScsFormat {
    const WITNESS: &'static str = "supersequence";
    const FIGURES: &'static str = "length, result, lower_bound";
    const JSON: Self = Self::Json;

    fn is_unended(self) -> bool {
        self == Self::Text
    }
}

impl WitnessFormat for EditFormat {
    const WITNESS: &'static str = "alignment";
    const FIGURES: &'static str = "distance, pieces";
    const JSON: Self = Self::Json;

    fn is_bam(self) -> bool {
        self == Self::Bam
    }

    fn is_sam(self) -> bool {
        matches!(self, Self::Sam | Self::Bam)
    }
}

impl WitnessFormat for CompareFormat {
    const WITNESS: &'static str = "differences";
    const FIGURES: &'static str = "figures, pairs, unpaired";
    const JSON: Self = Self::Json;
    const DEFAULT: &'static str = "tsv";
}

impl WitnessFormat for SubstringFormat {
    const WITNESS: &'static str = "substrings";
    const FIGURES: &'static str = "length, substrings or matches with their places";
    const JSON: Self = Self::Json;

    fn is_unended(self) -> bool {
        self == Self::Text
    }
}
