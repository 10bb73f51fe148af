// Engine in a worker: a page stays responsive, and a call can be cancelled while it computes.

const METHODS = ['lcs', 'edit', 'compare', 'scs', 'substring', 'matches', 'search', 'matrixChain', 'rnaFold'];

/** Number of arguments before the options, of the methods that have other than two. */
const INPUTS = { scs: 1, substring: 1, matches: 3, matrixChain: 1 };

/** Time that a cancelled call has to end by itself before its worker is ended. */
const PATIENCE_MS = 200;

function failure({ name, message, code }) {
    return Object.assign(new Error(message), { name, code });
}

function cancelled() {
    return failure({ name: 'AbortError', message: 'cancelled', code: 'cancelled' });
}

export class Engine {
    #options;
    #worker = null;
    /** Calls in order; the worker has the first one. */
    #calls = [];
    #nextId = 1;

    constructor(options = {}) {
        this.#options = options;
    }

    static {
        for (const method of METHODS) {
            this.prototype[method] = function (...args) {
                return this.#call(method, args);
            };
        }
    }

    /** Starts the worker before a call needs it. */
    async warmUp() {
        await this.lcs('', '', { device: 'cpu' });
    }

    /** Ends the worker and its calls. A later call starts another one. */
    close() {
        const calls = this.#calls.splice(0);
        this.#end();
        calls.forEach((call) => call.reject(cancelled()));
    }

    #call(method, args) {
        const count = INPUTS[method] ?? 2;
        const { signal, onProgress, ...options } = args[count] ?? {};
        return new Promise((resolve, reject) => {
            if (signal?.aborted) {
                reject(cancelled());
                return;
            }
            const abort = () => this.#cancel(call);
            const ended = () => {
                clearTimeout(call.timer);
                signal?.removeEventListener('abort', abort);
            };
            const call = {
                message: {
                    id: this.#nextId++,
                    method,
                    inputs: args.slice(0, count),
                    options,
                    reports: Boolean(onProgress),
                    engine: this.#options,
                },
                onProgress,
                resolve: (answer) => (ended(), resolve(answer)),
                reject: (error) => (ended(), reject(error)),
            };
            signal?.addEventListener('abort', abort);
            if (this.#calls.push(call) === 1) {
                this.#send();
            }
        });
    }

    /** Gives the first call to the worker. */
    #send() {
        const [call] = this.#calls;
        if (!call) {
            return;
        }
        this.#worker ??= this.#start();
        try {
            this.#worker.postMessage(call.message);
        } catch ({ message }) {
            // An argument that cannot be copied to another thread.
            this.#calls.shift();
            call.reject(failure({ name: 'SwathError', message, code: 'invalid-argument' }));
            this.#send();
        }
    }

    #start() {
        const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
        worker.onmessage = ({ data }) => this.#receive(data);
        worker.onerror = (event) => {
            event.preventDefault();
            const message = event.message || 'the worker cannot be loaded';
            this.#fail(failure({ name: 'SwathError', message, code: 'internal' }));
        };
        return worker;
    }

    #receive({ id, progress, answer, error }) {
        const [call] = this.#calls;
        if (call?.message.id !== id) {
            return;
        }
        if (progress) {
            call.onProgress(progress);
            return;
        }
        if (error?.code === 'internal') {
            // The module may be broken, or was not loaded.
            this.#fail(failure(error));
            return;
        }
        this.#calls.shift();
        if (error) {
            call.reject(failure(error));
        } else {
            call.resolve(answer);
        }
        this.#send();
    }

    #cancel(call) {
        const place = this.#calls.indexOf(call);
        if (place > 0) {
            this.#calls.splice(place, 1);
            call.reject(cancelled());
        } else if (place === 0) {
            // A call on a GPU ends by itself and keeps its device. One on the CPU does not listen.
            this.#worker.postMessage({ cancel: true });
            call.timer = setTimeout(() => this.#fail(cancelled()), PATIENCE_MS);
        }
    }

    /** Ends the worker and its call, and goes on with the next one. */
    #fail(error) {
        this.#end();
        this.#calls.shift()?.reject(error);
        this.#send();
    }

    #end() {
        this.#worker?.terminate();
        this.#worker = null;
    }
}
