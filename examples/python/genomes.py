"""All-against-all comparison of small genomes, as a heat map.

python genomes.py [OUT.png [IN.fasta ...]]; without files, of simulated plasmids of four families
"""

import random
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import swath


def simulated(families=4, members=5, length=5000, seed=1):
    """Names and sequences: families whose members differ by up to some per cent."""
    rng = random.Random(seed)
    names, genomes = [], []
    for family in "ABCDEFGH"[:families]:
        ancestor = rng.choices("ACGT", k=length + rng.randrange(length // 4))
        for member in range(members):
            rate = 0.01 * (member + 1)
            genome = []
            for base in ancestor:
                event = rng.random()
                if event < rate:
                    genome.append(rng.choice("ACGT"))
                elif event < 1.2 * rate:
                    continue
                else:
                    genome.append(base)
                if event > 1 - 0.2 * rate:
                    genome.append(rng.choice("ACGT"))
            names.append(f"{family}{member + 1}")
            genomes.append("".join(genome))
    return names, genomes


def read(file):
    lines = Path(file).read_text().split("\n")
    return "".join(line.strip() for line in lines if not line.startswith(">"))


def draw(names, similarity, file):
    """Writes a heat map of similarities from 0 to 1."""
    figure, axes = plt.subplots(figsize=(8, 7), layout="constrained")
    image = axes.imshow(100 * similarity, cmap="viridis", vmax=100)
    axes.set_xticks(range(len(names)), names, rotation=90)
    axes.set_yticks(range(len(names)), names)
    axes.set_title("Similarity by edit distance")
    figure.colorbar(image, label="per cent", shrink=0.85)
    figure.savefig(file, dpi=120)
    plt.close(figure)


def main(file="genomes.png", *inputs):
    names, genomes = simulated()
    if inputs:
        names, genomes = [Path(name).stem for name in inputs], [read(name) for name in inputs]
    # One object on both sides: every pair is computed once.
    similarity = swath.cdist(genomes, genomes, kind="normalized_similarity")
    draw(names, similarity, file)
    np.fill_diagonal(similarity, 0)
    row, column = np.unravel_index(similarity.argmax(), similarity.shape)
    print(f"most similar: {names[row]} and {names[column]}, {similarity[row, column]:.1%}")


if __name__ == "__main__":
    main(*sys.argv[1:])
