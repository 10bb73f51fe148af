// The plain tables of the problems, which share no code with the library.

const codes = (text) => Array.from(text);

export function lcs(a, b) {
    const [x, y] = [codes(a), codes(b)];
    let row = new Array(y.length + 1).fill(0);
    for (const letter of x) {
        const next = [0];
        y.forEach((other, j) => next.push(letter === other ? row[j] + 1 : Math.max(row[j + 1], next[j])));
        row = next;
    }
    return row[y.length];
}

/** Last row of the table of distances; `isFree` starts anywhere in `b`. */
function editRow(a, b, isFree) {
    const [x, y] = [codes(a), codes(b)];
    let row = [0, ...y.map((_, j) => (isFree ? 0 : j + 1))];
    x.forEach((letter, i) => {
        const next = [i + 1];
        y.forEach((other, j) => next.push(Math.min(row[j] + (letter === other ? 0 : 1), row[j + 1] + 1, next[j] + 1)));
        row = next;
    });
    return row;
}

export function edit(a, b) {
    return editRow(a, b, false).at(-1);
}

/** Ends in `b` of pieces within a distance of `a`, and their distances. */
export function ends(a, b, within) {
    return editRow(a, b, true).flatMap((cost, end) => (cost <= within ? [[end, cost]] : []));
}

/** Cost of a CIGAR with `=` and `X`, which is replayed on both texts; null if it does not fit. */
export function replay(cigar, a, b) {
    const [x, y] = [codes(a), codes(b)];
    let [i, j, cost] = [0, 0, 0];
    for (const [, count, op] of cigar.matchAll(/(\d+)([=XID])/g)) {
        for (let step = 0; step < Number(count); step += 1) {
            if (op === '=' || op === 'X') {
                if ((x[i] === y[j]) !== (op === '=')) {
                    return null;
                }
                i += 1;
                j += 1;
            } else if (op === 'I') {
                i += 1;
            } else {
                j += 1;
            }
            cost += op === '=' ? 0 : 1;
        }
    }
    return i === x.length && j === y.length ? cost : null;
}

export function substring(a, b) {
    const [x, y] = [codes(a), codes(b)];
    let [longest, row] = [0, new Array(y.length + 1).fill(0)];
    for (const letter of x) {
        row = [0, ...y.map((other, j) => (letter === other ? row[j] + 1 : 0))];
        longest = Math.max(longest, ...row);
    }
    return longest;
}

export function matrixChain(dimensions) {
    const best = dimensions.map(() => []);
    for (let length = 2; length < dimensions.length; length += 1) {
        for (let i = 0; i + length < dimensions.length; i += 1) {
            const costs = [];
            for (let k = i + 1; k < i + length; k += 1) {
                costs.push((best[i][k] ?? 0) + (best[k][i + length] ?? 0) + dimensions[i] * dimensions[k] * dimensions[i + length]);
            }
            best[i][i + length] = Math.min(...costs);
        }
    }
    return best[0][dimensions.length - 1] ?? 0;
}

/** Random text with a seed. */
export function random(seed, length, letters) {
    let state = seed;
    const next = () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
    return Array.from({ length }, () => letters[Math.floor(next() * letters.length)]).join('');
}
