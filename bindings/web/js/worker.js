// Runs the calls of one engine, one at a time, off the thread of the page.

import init, { Engine } from './swath_web.js';

const loaded = init();
let engine;
let controller;

/** Buffers of typed arrays in an answer, which are moved instead of copied. */
function buffers(answer) {
    return Object.values(answer).filter(ArrayBuffer.isView).map((array) => array.buffer);
}

self.onmessage = async ({ data }) => {
    if (data.cancel) {
        controller?.abort();
        return;
    }
    const { id, method, inputs, options } = data;
    try {
        await loaded;
        engine ??= new Engine(data.engine);
        controller = new AbortController();
        const onProgress = data.reports ? (progress) => self.postMessage({ id, progress }) : undefined;
        const answer = await engine[method](...inputs, { ...options, onProgress, signal: controller.signal });
        self.postMessage({ id, answer }, buffers(answer));
    } catch ({ name, message, code }) {
        self.postMessage({ id, error: { name, message, code: code ?? 'internal' } });
    }
};
