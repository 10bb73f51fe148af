// Reads files: text or FASTA, plain or compressed by gzip.

const NEWLINE = 10;
const RETURN = 13;
const GREATER = 62;

/** Bytes of a file. */
export async function read(file) {
    const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    const isGzip = start[0] === 0x1f && start[1] === 0x8b;
    const stream = isGzip ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Records of FASTA: the sequences without line ends, in upper case. Other bytes are one record: a text if
 * they are UTF-8.
 */
export function records(bytes, name) {
    if (bytes[0] !== GREATER) {
        const text = new TextDecoder().decode(bytes).replace(/\r\n/g, '\n').replace(/\n$/, '');
        return [{ name, sequence: text, isDna: false }];
    }
    const found = [];
    let at = 0;
    while (at < bytes.length) {
        let end = bytes.indexOf(NEWLINE, at);
        end = end < 0 ? bytes.length : end;
        const header = new TextDecoder().decode(bytes.subarray(at + 1, end)).trim();
        const sequence = new Uint8Array(bytes.length - end);
        let length = 0;
        at = end + 1;
        for (let isLineStart = true; at < bytes.length; at += 1) {
            const byte = bytes[at];
            if (isLineStart && byte === GREATER) {
                break;
            }
            isLineStart = byte === NEWLINE;
            if (!isLineStart && byte !== RETURN) {
                sequence[length] = byte >= 97 && byte <= 122 ? byte - 32 : byte;
                length += 1;
            }
        }
        const letters = sequence.slice(0, length);
        found.push({ name: header || name, sequence: letters, isDna: isDna(letters) });
    }
    return found;
}

/** True if there are no letters but those of DNA. */
function isDna(bytes) {
    const known = new Uint8Array(256);
    for (const letter of 'ACGTUNRYSWKMBDHV') {
        known[letter.charCodeAt(0)] = 1;
    }
    return bytes.every((byte) => known[byte] === 1);
}
