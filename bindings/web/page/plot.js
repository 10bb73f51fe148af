// Dot plot of two sequences: their maximal matches, and the alignment.

const MARGIN = 44;
/** Room for half of the last number. */
const RIGHT = 22;
const FORWARD = '#1f5fbf';
const REVERSE = '#d0451b';
const PATH = '#9aa3ad';

/**
 * Draws matches (position in `a`, position in `b`, length, strand) and the blocks of an alignment (position in `a`,
 * position in `b`, length). The first sequence runs down, the second to the right.
 */
export function draw(canvas, { lengths: [rows, cols], names, matches, blocks }) {
    const context = canvas.getContext('2d');
    const size = canvas.width - MARGIN - RIGHT;
    const scale = size / Math.max(rows, cols, 1);
    const x = (column) => MARGIN + column * scale;
    const y = (row) => MARGIN + row * scale;
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.strokeStyle = '#c8ccd1';
    context.strokeRect(x(0), y(0), cols * scale, rows * scale);
    axes(context, x, y, [rows, cols], names);

    const line = (fromA, fromB, toA, toB) => {
        context.moveTo(x(fromB), y(fromA));
        context.lineTo(x(toB), y(toA));
    };
    const lines = (style, width, add) => {
        context.strokeStyle = style;
        context.lineWidth = width;
        context.lineCap = 'round';
        context.beginPath();
        add();
        context.stroke();
    };
    lines(PATH, 1, () => {
        let last = [0, 0];
        for (let i = 0; i < blocks.length; i += 3) {
            const [a, b, length] = blocks.subarray(i, i + 3);
            line(...last, a, b);
            last = [a + length, b + length];
            line(a, b, ...last);
        }
        line(...last, rows, cols);
    });
    for (const [strand, style] of [[0, FORWARD], [1, REVERSE]]) {
        lines(style, 2, () => {
            for (let i = 0; i < matches.length; i += 4) {
                const [a, b, length, isReverse] = matches.subarray(i, i + 4);
                if (isReverse === strand) {
                    // On the reverse strand the match runs up.
                    line(a, isReverse ? b + length : b, a + length, isReverse ? b : b + length);
                }
            }
        });
    }
}

function axes(context, x, y, [rows, cols], [nameA, nameB]) {
    context.fillStyle = '#333';
    context.font = '12px system-ui, sans-serif';
    const step = tick(Math.max(rows, cols));
    context.textAlign = 'center';
    for (let at = 0; at <= cols; at += step) {
        context.fillText(short(at), x(at), y(0) - 6);
    }
    context.textAlign = 'right';
    for (let at = step; at <= rows; at += step) {
        context.fillText(short(at), x(0) - 5, y(at) + 4);
    }
    context.textAlign = 'left';
    context.fillText(`${nameB.slice(0, 70)} →`, x(0), 14);
    context.save();
    context.translate(12, y(0));
    context.rotate(Math.PI / 2);
    context.fillText(`${nameA.slice(0, 70)} →`, 0, 0);
    context.restore();
}

/** Distance of ticks: 1, 2 or 5 times a power of ten. */
function tick(length) {
    const power = 10 ** Math.floor(Math.log10(Math.max(length, 1)));
    return [0.1, 0.2, 0.5, 1].map((part) => part * power).find((step) => step >= 1 && length / step <= 6) ?? Math.max(power, 1);
}

function short(number) {
    return number >= 1e6 ? `${number / 1e6} M` : number >= 1e3 ? `${number / 1e3} k` : String(number);
}
