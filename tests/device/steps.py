"""The steps of tests/device.sh: what users call, with inputs of several parts.

`steps.py NAME DEVICE` runs one and prints a line of JSON: a digest of the answer, and what it says of
the time.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tests" / "data"
GENOMES = [str(DATA / f"hpylori_{name}.fasta.gz") for name in ("ELS37", "G27")]


def random_bytes(seed: str, count: int) -> bytes:
    return hashlib.shake_256(seed.encode()).digest(count)


def letters(seed: str, count: int) -> bytes:
    """Random DNA."""
    return random_bytes(seed, count).translate(bytes(b"ACGT"[byte & 3] for byte in range(256)))


def lengths(seed: str, count: int, least: int, most: int) -> list[int]:
    numbers = random_bytes(seed, 4 * count)
    return [least + int.from_bytes(numbers[4 * at : 4 * at + 4]) % (most - least + 1) for at in range(count)]


def strings(seed: str, lens: list[int]) -> list[str]:
    text, found, at = letters(seed, sum(lens)).decode(), [], 0
    for length in lens:
        found.append(text[at : at + length])
        at += length
    return found


def edited(text: str, seed: str, one_in: int) -> str:
    """A copy with a substitution, deletion or insertion at about one of `one_in` letters."""
    dice = random_bytes(seed, 2 * len(text))
    found = []
    for at, letter in enumerate(text):
        kind = int.from_bytes(dice[2 * at : 2 * at + 2]) % (3 * one_in)
        found.append("" if kind == 0 else letter + "A" if kind == 1 else "C" if kind == 2 else letter)
    return "".join(found)


def digest(*parts: bytes) -> str:
    return hashlib.blake2b(b"".join(parts), digest_size=12).hexdigest()


def command(device: str, *arguments: str, stdin: bytes | None = None) -> bytes:
    """Runs the command; returns the file that it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        program = [str(Path(os.environ["SWATH_DEVICE_FOLDER"]) / "command"), *arguments]
        program += ["--device", device, "-o", str(output)]
        subprocess.run(program, check=True, input=stdin, stdout=subprocess.DEVNULL)
        return output.read_bytes()


def files(*contents: bytes | str | list[str]) -> list[str]:
    """Writes inputs; lists become FASTA records."""
    folder = Path(tempfile.mkdtemp())
    paths = []
    for index, content in enumerate(contents):
        if isinstance(content, list):
            content = "".join(f">{at}\n{text}\n" for at, text in enumerate(content))
        path = folder / f"input{index}.fa"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        paths.append(str(path))
    return paths


def table(queries: list[str], choices: list[str], calls: int = 1, **options) -> Callable[[str], tuple[str, str]]:
    """Distances of all pairs from Python, several times."""

    def step(device: str) -> tuple[str, str]:
        import swath

        answers, seconds = [], []
        for _ in range(calls if device != "cpu" else 1):
            started = time.perf_counter()
            found = swath.cdist(queries, choices, device=device, **options)
            seconds.append(time.perf_counter() - started)
            answers.append(digest(found.tobytes()))
        assert len(set(answers)) == 1, f"calls differ: {answers}"
        return answers[0], " ".join(f"{1e3 * one:.0f}" for one in seconds) + " ms"

    return step


def by_command(*arguments: str, inputs: Callable[[], list[str]] = list) -> Callable[[str], tuple[str, str]]:
    def step(device: str) -> tuple[str, str]:
        paths = inputs()
        started = time.perf_counter()
        output = command(device, arguments[0], *paths, *arguments[1:])
        return digest(output), f"{1e3 * (time.perf_counter() - started):.0f} ms"

    return step


def kept(device: str) -> tuple[str, str]:
    """Pairs within a bound from Python, of which a device sends back these alone."""
    import swath

    words = strings("kept", lengths("kept lengths", 9000, 6, 14))
    started = time.perf_counter()
    found = swath.pairs(words, k=2, device=device)
    seconds = time.perf_counter() - started
    parts = (found.row, found.column, found.distance)
    return digest(*(part.tobytes() for part in parts)), f"{1e3 * seconds:.0f} ms, {len(found.row)} pairs"


def prepared(device: str) -> tuple[str, str]:
    """Calls with a list that stays on the device, by bounds and rows in turn, with calls between that have other lists."""
    import swath

    choices, answers, seconds = swath.Choices(strings("choices", [16] * 200_000)), [], []
    rows = [strings(f"rows {side}", [14 + side] * (10 ** side * 50)) + strings("choices", [16] * 5) for side in range(4)]
    for k in (2, 2, 1):
        for near in rows:
            started = time.perf_counter()
            found = swath.neighbors(near, choices, k, device=device)
            seconds.append(time.perf_counter() - started)
            answers += [part.tobytes() for part in (found.row, found.column, found.distance)]
            answers.append(swath.cdist(near[-60:], choices, device=device, dtype="u1").tobytes())
        answers.append(swath.cdist(*words(2000), device=device, dtype="u1").tobytes())
    return digest(*answers), " ".join(f"{1e3 * one:.0f}" for one in seconds) + " ms"


def reads(count: int, length: int, one_in: int) -> list[str]:
    """Two files: reads, and copies with edits."""
    one = strings(f"reads {length}", [length] * count)
    other = [edited(text, f"edits {at}", one_in) for at, text in enumerate(one)]
    return files(one, other)


def pieces(length: int, one_in: int) -> list[str]:
    """Pieces of a genome with edits."""
    import gzip

    genome = gzip.decompress(Path(GENOMES[1]).read_bytes()).split(b"\n", 1)[1].replace(b"\n", b"").decode()
    starts = lengths("starts", 400, 0, len(genome) - 200)
    return [edited(genome[start : start + length], f"piece {start}", one_in) for start in starts]


def places(device: str) -> tuple[str, str]:
    """Places of barcodes in reads from Python."""
    import swath

    barcodes, texts = strings("barcodes", [24] * 96), strings("texts", [3000] * 2000)
    started = time.perf_counter()
    found = swath.search(barcodes, texts, k=7, strand="both", cigar=True, device=device)
    seconds = time.perf_counter() - started
    parts = (found.pattern, found.text, found.start, found.end, found.strand, found.cost)
    cigars = "\n".join(found.cigar).encode()
    answer = digest(*(part.tobytes() for part in parts), cigars)
    return answer, f"{1e3 * seconds:.0f} ms, {len(found.text)} places"


def dimensions() -> list[str]:
    return files(" ".join(map(str, lengths("chain", 16_385, 1, 1000))))


@dataclass
class Step:
    name: str
    limit: float
    run: Callable[[], Callable[[str], tuple[str, str]]]
    # Digest of the answer where the CPU would take long; None compares with the CPU's.
    stored: str | None = None


def words(count: int) -> tuple[list[str], list[str]]:
    return tuple(strings(f"words {side}", lengths(f"words {side}", count, 4, 12)) for side in "ab")


def ragged() -> list[str]:
    return strings("ragged", [length**3 // 900**2 for length in lengths("ragged", 1500, 0, 1500)])


def two(count: int) -> Callable[[], list[str]]:
    return lambda: files(*(b">%d\n%s\n" % (side, letters(f"two {count} {side}", count)) for side in (1, 2)))


STEPS = [
    Step("words 20,000", 30, lambda: table(*words(20_000), calls=2, dtype="u1")),
    Step("words 12,000", 30, lambda: table(*words(12_000), calls=3, dtype="u1")),
    Step("reads", 30, lambda: table(*[strings(f"150 {side}", [150] * 4096) for side in "ab"], calls=2)),
    Step("ragged lists", 30, lambda: table(ragged(), ragged()[::-1], calls=2)),
    Step("great cutoff", 30, lambda: table(*words(3000), calls=2, score_cutoff=2**32 - 1)),
    Step("kept pairs", 30, lambda: kept),
    Step("prepared lists", 60, lambda: prepared),
    Step("words by Hamming", 30, lambda: table(*words(6000), calls=2, scorer="hamming")),
    Step("reads by alignment", 30, lambda: table(*[strings(f"osa {side}", [150] * 2000) for side in "ab"], scorer="osa")),
    Step("long by alignment", 30, lambda: table(*[strings(f"long {side}", [1200] * 300) for side in "ab"], scorer="osa")),
    Step("words by Jaro-Winkler", 30, lambda: table(*words(6000), calls=2, scorer="jaro-winkler", kind="similarity")),
    Step("lists by Jaro", 30, lambda: table(ragged()[:600], ragged()[600:1000], scorer="jaro", kind="similarity")),
    Step(
        "zip by alignment", 30,
        lambda: by_command("pairs", "--zip", "--measure", "osa", inputs=lambda: reads(20_000, 100, 20)),
    ),
    Step("rows by command", 30, lambda: by_command("pairs", "-k", "2", inputs=lambda: files(*words(12_000)))),
    Step(
        "zip with CIGARs", 40,
        lambda: by_command("pairs", "--zip", "--path", inputs=lambda: reads(20_000, 400, 20)),
    ),
    Step(
        "join of 1 M", 40,
        lambda: by_command(
            "neighbors", "-k", "1", inputs=lambda: files("\n".join(strings("join", [12] * 1_000_000)) + "\n"),
        ),
    ),
    Step(
        "join by alignment", 40,
        lambda: by_command(
            "neighbors", "-k", "1", "--measure", "osa",
            inputs=lambda: files("\n".join(strings("join", [12] * 200_000)) + "\n"),
        ),
    ),
    Step("rows by ratio", 30, lambda: by_command("pairs", "--measure", "ratio", "--at-least", "60", inputs=lambda: files(*words(6000)))),
    Step(
        "reads in a genome", 40,
        lambda: by_command("edit", "--mode", "infix", "--format", "paf", inputs=lambda: [*files(pieces(150, 20)), GENOMES[1]]),
    ),
    Step(
        "guides in a genome", 40,
        lambda: by_command(
            "search", "-k", "4", "--strand", "both", "--pam", "NGG", "--path",
            inputs=lambda: [*files(pieces(20, 30)), GENOMES[1]],
        ),
    ),
    Step("places from Python", 40, lambda: places),
    Step("two genomes", 40, lambda: by_command("edit", "--format", "paf", inputs=lambda: GENOMES)),
    Step("compare", 40, lambda: by_command("compare", "--format", "vcf", inputs=lambda: GENOMES)),
    Step("supersequence", 40, lambda: by_command("scs", inputs=lambda: GENOMES)),
    Step("lcs of 10 M", 60, lambda: by_command("lcs", "--format", "ops", inputs=two(10_000_000)), "565641b437aa73843e703b18"),
    Step("edit of 10 M", 60, lambda: by_command("edit", "--format", "cigar", inputs=two(10_000_000)), "7b170e02195402717ac686d4"),
    Step("chain of 16,384", 60, lambda: by_command("chain", "--method", "tiled", inputs=dimensions), "dfda0abe760ddfec1c3b9fd3"),
    Step("substring of 100 M", 60, lambda: by_command("substring", inputs=two(50_000_000)), "7053d18df012b30161718167"),
    Step(
        "sort of 100 M", 60,
        lambda: by_command("substring", "--method", "sort-and-scan", inputs=two(50_000_000)), "7053d18df012b30161718167",
    ),
]


def main() -> None:
    name, device = sys.argv[1:]
    step = next(step for step in STEPS if step.name == name)
    answer, told = step.run()(device)
    print(json.dumps({"answer": answer, "told": told}))


if __name__ == "__main__":
    main()
