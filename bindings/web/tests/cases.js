// Calls of both engines in a browser, beside references and the answers of the native command.

import init, { Engine as Direct } from '/swath_web.js';
import { Engine } from '/swath.js';
import { edit, ends, lcs, matrixChain, random, replay, substring } from '/tests/references.js';

const failures = [];

function check(name, found, expected) {
    const text = (value) => JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? Number(part) : part));
    if (text(found) !== text(expected)) {
        failures.push(`${name}: ${text(found)?.slice(0, 200)} instead of ${text(expected)?.slice(0, 200)}`);
    }
}

/** Error of a call that has to fail. */
async function error(call) {
    try {
        await call();
    } catch (thrown) {
        return thrown;
    }
    return { code: 'none' };
}

const PAIRS = [
    ['', ''],
    ['', 'a'],
    ['a', ''],
    ['a', 'a'],
    ['a', 'b'],
    ['kitten', 'sitting'],
    ['GATTACA', 'GATTACA'],
    ['größe', 'grosse'],
    ['naïve 😀 text', 'naive 😀😀 test'],
    ['a\0b', 'a\0\0b'],
    [random(1, 300, 'ACGT'), random(2, 400, 'ACGT')],
    [random(3, 1000, 'ACGT'), random(3, 1000, 'ACGT').replaceAll('ACG', 'AG')],
    [random(4, 129, 'ab'), random(5, 65, 'ab')],
    [random(6, 700, 'αβγδε'), random(7, 500, 'αβγδεζ')],
];

async function small(engine, device) {
    const options = { device };
    for (const [index, [a, b]] of PAIRS.entries()) {
        const name = `${device}, pair ${index}`;
        const found = await engine.lcs(a, b, { ...options, path: true });
        check(`${name}: length`, found.length, lcs(a, b));
        check(`${name}: symbols`, Array.from(found.symbols).length, found.length);
        check(`${name}: length without path`, (await engine.lcs(a, b, options)).length, found.length);
        const aligned = await engine.edit(a, b, { ...options, path: true });
        check(`${name}: distance`, aligned.distance, edit(a, b));
        check(`${name}: cigar`, replay(aligned.cigar, a, b), aligned.distance);
        const compared = await engine.compare(a, b, options);
        check(`${name}: compared`, compared.distance, aligned.distance);
        const [x, y] = [Array.from(a), Array.from(b)];
        // Without the differences both are the same.
        let [fromA, fromB] = [0, 0];
        const same = [[], []];
        for (let i = 0; i <= compared.differences.length; i += 4) {
            const [a0, a1, b0, b1] = i < compared.differences.length
                ? compared.differences.subarray(i, i + 4) : [x.length, x.length, y.length, y.length];
            same[0].push(...x.slice(fromA, a0));
            same[1].push(...y.slice(fromB, b0));
            [fromA, fromB] = [a1, b1];
        }
        check(`${name}: equal symbols`, same[0].join(''), same[1].join(''));
        check(`${name}: count of equal symbols`, same[0].length, compared.equal);
        check(`${name}: substring`, (await engine.substring([a, b], options)).length, substring(a, b));
        const scs = await engine.scs([a, b], { ...options, path: true });
        check(`${name}: supersequence`, scs.length, x.length + y.length - lcs(a, b));
        check(`${name}: symbols of it`, Array.from(scs.symbols).length, scs.length);
    }
    const text = random(8, 2000, 'ACGT');
    const pattern = text.slice(700, 730).replace('A', 'C');
    const found = await engine.search(pattern, text, { ...options, within: 3, choice: 'ends', strands: 'forward', alignments: true });
    check(`${device}: search`, found.places.map(({ end, cost }) => [end, cost]), ends(pattern, text, 3));
    for (const { start, end, cost, cigar } of found.places) {
        check(`${device}: place`, replay(cigar, pattern, text.slice(start, end)), cost);
    }
    const dimensions = Array.from({ length: 60 }, (_, index) => ((index * 37) % 23) + 1);
    check(`${device}: matrix chain`, (await engine.matrixChain(dimensions, options)).cost, BigInt(matrixChain(dimensions)));
    check(`${device}: fold`, (await engine.rnaFold('GGGAAACCC', 3, options)).cost, 3n);
    const bytes = (letters) => new TextEncoder().encode(letters);
    const matches = await engine.matches(bytes('TTACGTACCCTT'), bytes('GGACGTACCCGG'), 5, options);
    check(`${device}: matches`, [...matches.matches], [2, 2, 8, 0]);
    const ofBytes = await engine.lcs(Uint8Array.of(1, 2, 3), Uint32Array.of(3, 1, 2), { ...options, path: true });
    check(`${device}: arrays`, [ofBytes.length, [...ofBytes.symbols]], [2, [1, 2]]);
}

async function errors(engine) {
    check('unknown option', (await error(() => engine.lcs('a', 'b', { paht: true }))).code, 'invalid-argument');
    check('unknown method', (await error(() => engine.lcs('a', 'b', { method: 'fast' }))).code, 'invalid-argument');
    check('no sequence', (await error(() => engine.lcs('a', 7))).code, 'invalid-argument');
    check('zero dimension', (await error(() => engine.matrixChain([3, 0, 4]))).code, 'invalid-argument');
    check('empty pattern', (await error(() => engine.edit('', 'abc', { mode: 'infix' }))).code, 'invalid-argument');
}

/** Times of a pair of genomes, and whether the answers are those of the native command. */
async function genomes(engine, device, { a, b, expected }) {
    const times = {};
    const timed = async (name, call) => {
        const started = performance.now();
        const answer = await call();
        times[`${name}: ${answer.run.method}`] = Math.round(performance.now() - started);
        return answer;
    };
    const options = { device, path: true };
    const table = await timed('lcs', () => engine.lcs(a, b, { device }));
    check(`${device}: genomes: length`, [table.length, table.run.device === 'cpu'], [expected.lcs, device === 'cpu']);
    const path = await timed('lcs, path', () => engine.lcs(a, b, options));
    check(`${device}: genomes: symbols`, await digest(path.symbols), expected.subsequence);
    const aligned = await timed('edit, path', () => engine.edit(a, b, options));
    check(`${device}: genomes: alignment`, await digest(aligned.cigar), expected.cigar);
    check(`${device}: genomes: distance`, aligned.distance, expected.distance);
    const byItself = await engine.edit(a, b, { device: 'auto' });
    check(`${device}: a software adapter is not taken`, [byItself.distance, byItself.run.device], [expected.distance, 'cpu']);
    const longest = await timed('substring', () => engine.substring([a, b], { device }));
    check(`${device}: genomes: substring`, longest.length, expected.substring);
    return times;
}

async function digest(value) {
    const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function progressAndCancel(engine, device, { a, b }) {
    const fractions = [];
    const whole = { device, method: 'bit-parallel' };
    await engine.lcs(a, b, { ...whole, onProgress: ({ fraction }) => fractions.push(fraction) });
    check(`${device}: progress rises`, fractions.every((one, index) => index === 0 || one >= fractions[index - 1]), true);
    check(`${device}: progress ends`, fractions.at(-1), 1);
    const controller = new AbortController();
    const started = performance.now();
    const long = [a, b].map((bytes) => new Uint8Array(10 * bytes.length).map((_, at) => bytes[(at * 7) % bytes.length]));
    const calls = [engine.lcs(...long, { ...whole, signal: controller.signal }), engine.lcs('abc', 'bc', { device })];
    setTimeout(() => controller.abort(), 300);
    const ended = await error(() => calls[0]);
    check(`${device}: cancelled`, [ended.name, ended.code], ['AbortError', 'cancelled']);
    check(`${device}: cancelled soon`, performance.now() - started < 3000, true);
    check(`${device}: the next call`, (await calls[1]).length, 2);
    check(`${device}: cancelled before`, (await error(() => engine.lcs('a', 'a', { signal: AbortSignal.abort() }))).code, 'cancelled');
}

/** Devices that are lost between calls and during one. */
async function losses(pair) {
    const [a, b] = [pair.a.subarray(0, 30_000), pair.b.subarray(0, 30_000)];
    const devices = [];
    const request = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...args) {
        const device = await request.apply(this, args);
        devices.push(device);
        return device;
    };
    const engine = new Direct({ device: 'webgpu' });
    const whole = { method: 'bit-parallel' };
    const length = async () => (await engine.lcs(a, b, whole)).length;
    const expected = (await engine.lcs(a, b, { device: 'cpu' })).length;
    check('before a loss', await length(), expected);
    devices.at(-1).destroy();
    await devices.at(-1).lost;
    check('after a loss', [await length(), devices.length], [expected, 2]);
    const running = error(length);
    setTimeout(() => devices.at(-1).destroy(), 60);
    const ended = await running;
    check('during a loss', ended.code, 'device');
    check('after that', [await length(), devices.length], [expected, 3]);
    GPUAdapter.prototype.requestDevice = async () => {
        throw new Error('none today');
    };
    devices.at(-1).destroy();
    await devices.at(-1).lost;
    check('no other device', (await error(length)).code, 'device');
    check('the CPU instead', (await engine.lcs(a, b, { ...whole, device: 'auto' })).length, expected);
    GPUAdapter.prototype.requestDevice = request;
    return ended.message;
}

export async function run({ device, data }) {
    const times = {};
    const note = async (name, work) => {
        const started = performance.now();
        times[name] = await work();
        times[`${name}, ms`] = Math.round(performance.now() - started);
        console.log(`${name}: ${times[`${name}, ms`]} ms, ${failures.length} failures`);
    };
    const bytes = Uint8Array.fromBase64 ?? ((text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
    const pair = { a: bytes(data.a), b: bytes(data.b), expected: data.expected };
    await init();
    const engine = new Engine();
    await note('loaded', () => engine.warmUp());
    await note('small in a worker', () => small(engine, device));
    if (device === 'cpu') {
        await note('small on this thread', () => small(new Direct(), device));
    }
    await note('errors', () => errors(engine));
    await note('genomes', () => genomes(engine, device, pair));
    await note('progress and cancel', () => progressAndCancel(engine, device, pair));
    if (device === 'webgpu') {
        await note('losses', () => losses(pair));
    } else {
        const missing = await error(() => engine.lcs(pair.a, pair.b, { device: 'webgpu', method: 'bit-parallel' }));
        check('no WebGPU', missing.code, 'device');
    }
    engine.close();
    return { failures, times };
}
