"""Word and character error rate of a test set, and its worst sentences.

python word_error_rate.py [REFERENCES.txt HYPOTHESES.txt], one sentence a line
"""

import sys
from pathlib import Path

import numpy as np

import swath

REFERENCES = ["the quick brown fox", "jumps over the lazy dog", "and runs away"]
HYPOTHESES = ["the quick brown socks", "jumps over lazy dog", "and runs away"]


def report(references, hypotheses, worst=3):
    words = swath.counts(references, hypotheses)
    characters = swath.counts(references, hypotheses, unit="symbols")
    lines = [
        f"WER {words.error_rate:.2%}, CER {characters.error_rate:.2%}",
        f"{words.substitutions.sum()} substitutions, {words.deletions.sum()} deletions, "
        f"{words.insertions.sum()} insertions, {words.hits.sum()} hits",
    ]
    for index in np.argsort(-words.errors.astype(int), kind="stable")[:worst]:
        if words.errors[index]:
            lines.append(f"{words.errors[index]}: {references[index]!r} -> {hypotheses[index]!r}")
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(report(*(Path(name).read_text().splitlines() for name in sys.argv[1:])))
    else:
        print(report(REFERENCES, HYPOTHESES))
