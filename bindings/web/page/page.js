import { Engine } from '../swath.js';
import { read, records } from './input.js';
import { draw } from './plot.js';

/** Rows of the table; all differences are in the download. */
const ROWS = 200;
/** Symbols of a difference in the table. */
const SYMBOLS = 60;
/** Share of the progress bar for the alignment; the rest is for matches. */
const ALIGNMENT_SHARE = 0.8;

const element = (id) => document.getElementById(id);
const engine = new Engine();
const inputs = { a: null, b: null };
let controller = null;
let table = null;

engine.warmUp().then(() => (document.documentElement.dataset.ready = 'true'), show);

for (const box of document.querySelectorAll('.input')) {
    const key = box.dataset.input;
    const [file, text, choice, output] = ['input', 'textarea', 'select', 'output'].map((name) => box.querySelector(name));
    const choose = (record) => {
        inputs[key] = record;
        output.textContent = record ? `${record.name}: ${record.sequence.length.toLocaleString('en')} symbols` : '';
    };
    const take = async (chosen) => {
        try {
            const found = records(await read(chosen), chosen.name);
            found.sort((x, y) => y.sequence.length - x.sequence.length);
            choice.replaceChildren(...found.map(({ name }, index) => new Option(name, index)));
            choice.hidden = found.length < 2;
            choice.onchange = () => choose(found[choice.value]);
            text.value = '';
            choose(found[0]);
        } catch (error) {
            show(error);
        }
    };
    file.onchange = () => file.files[0] && take(file.files[0]);
    text.oninput = () => {
        choice.hidden = true;
        file.value = '';
        choose(text.value ? { name: 'text', sequence: text.value, isDna: /^[ACGTUN]+$/.test(text.value) } : null);
    };
    box.ondragover = (event) => {
        event.preventDefault();
        box.classList.add('over');
    };
    box.ondragleave = () => box.classList.remove('over');
    box.ondrop = (event) => {
        event.preventDefault();
        box.classList.remove('over');
        const [dropped] = event.dataTransfer.files;
        if (dropped) {
            take(dropped);
        }
    };
}

element('form').onsubmit = async (event) => {
    event.preventDefault();
    controller = new AbortController();
    busy(true);
    try {
        await compare(controller.signal);
    } catch (error) {
        show(error);
    } finally {
        busy(false);
    }
};
element('cancel').onclick = () => controller?.abort();
element('download').onclick = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(table(Infinity), { type: 'text/tab-separated-values' }));
    link.download = 'differences.tsv';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

function busy(isBusy) {
    element('compare').disabled = isBusy;
    element('cancel').disabled = !isBusy;
    element('progress').hidden = !isBusy;
    element('progress').value = 0;
    if (isBusy) {
        status('Comparing …');
    }
}

function status(text, isError = false) {
    element('status').textContent = text;
    element('status').classList.toggle('error', isError);
}

function show(error) {
    status(error.code === 'cancelled' ? 'Cancelled.' : error.message, error.code !== 'cancelled');
    document.documentElement.dataset.error = error.code ?? 'internal';
}

async function compare(signal) {
    const empty = { name: 'empty', sequence: '', isDna: false };
    const [a, b] = [inputs.a ?? empty, inputs.b ?? empty];
    const device = element('device').value;
    const report = (from, to) => ({ fraction }) => (element('progress').value = from + (to - from) * fraction);
    const started = performance.now();
    const answer = await engine.compare(a.sequence, b.sequence, { device, signal, onProgress: report(0, ALIGNMENT_SHARE) });
    const matches = await matchesOf(a, b, { device, signal, onProgress: report(ALIGNMENT_SHARE, 1) });
    const seconds = (performance.now() - started) / 1000;

    const lengths = [a, b].map(({ sequence }) => [...symbols(sequence)].length);
    numbers({
        'first': lengths[0].toLocaleString('en'),
        'second': lengths[1].toLocaleString('en'),
        'similarity': `${(100 * answer.similarity).toFixed(3)} %`,
        'edit distance': answer.distance.toLocaleString('en'),
        'device': answer.run.device === 'cpu' ? 'CPU (WebAssembly)' : ['WebGPU', answer.run.device].filter((name, index) => !index || name !== 'WebGPU').join(': '),
        'method': answer.run.method,
        'time': `${seconds.toFixed(2)} s`,
    });
    draw(element('plot'), { lengths, names: [a.name, b.name], matches: matches.found, blocks: answer.blocks });
    element('legend').textContent =
        `Matches of at least ${matches.minLength} symbols: blue, on the reverse strand red. The alignment is grey.`;
    element('counts').textContent =
        `${(answer.differences.length / 4).toLocaleString('en')} places: ${answer.substitutions.toLocaleString('en')} ` +
        `substitutions, ${answer.onlyA.toLocaleString('en')} symbols in the first alone, ` +
        `${answer.onlyB.toLocaleString('en')} in the second alone.`;
    table = (limit) => rows(answer.differences, symbols(a.sequence), symbols(b.sequence), limit);
    element('rows').replaceChildren(...table(ROWS).slice(1).map(tableRow));
    element('result').hidden = false;
    status('');
    document.documentElement.dataset.done = String(answer.distance);
}

/** Symbols as the engine counts them: code points of a text. */
function symbols(sequence) {
    return typeof sequence === 'string' ? Array.from(sequence) : sequence;
}

/** Maximal matches, longer ones if there are too many. */
async function matchesOf(a, b, options) {
    const [small, large] = [a, b].map(({ sequence }) => sequence.length).sort((x, y) => x - y);
    // Random matches of that length are rare between sequences of four letters.
    let minLength = small < 200 ? 3 : Math.ceil(Math.log(small * large) / Math.log(4)) + 6;
    for (;;) {
        try {
            const bothStrands = a.isDna && b.isDna;
            const { matches } = await engine.matches(a.sequence, b.sequence, minLength, { ...options, bothStrands });
            return { found: matches, minLength };
        } catch (error) {
            if (error.code !== 'memory' || minLength > large) {
                throw error;
            }
            minLength *= 2;
        }
    }
}

function numbers(values) {
    const pair = ([name, value]) => {
        const [box, term, text] = ['div', 'dt', 'dd'].map((tag) => document.createElement(tag));
        term.textContent = name;
        text.textContent = value;
        box.append(term, text);
        return box;
    };
    element('numbers').replaceChildren(...Object.entries(values).map(pair));
}

/** Lines of the table of differences, the names of its columns first. Positions count from 1. */
function rows(differences, a, b, limit) {
    const text = (part) => (part instanceof Uint8Array ? new TextDecoder().decode(part) : part.join(''));
    const lines = ['first\tsecond\tkind\tsymbols\n'];
    for (let i = 0; i < differences.length && lines.length <= limit; i += 4) {
        const [fromA, toA, fromB, toB] = differences.subarray(i, i + 4);
        const kind = fromB === toB ? 'deletion' : fromA === toA ? 'insertion' : toA - fromA === toB - fromB ? 'substitution' : 'replacement';
        const [x, y] = [text(a.slice(fromA, toA)), text(b.slice(fromB, toB))];
        lines.push(`${fromA + 1}\t${fromB + 1}\t${kind}\t${x || '-'} > ${y || '-'}\n`);
    }
    return lines;
}

function tableRow(line) {
    const row = document.createElement('tr');
    for (const cell of line.trimEnd().split('\t')) {
        const data = document.createElement('td');
        data.textContent = cell.length > SYMBOLS ? `${cell.slice(0, SYMBOLS)} …` : cell;
        row.append(data);
    }
    return row;
}
