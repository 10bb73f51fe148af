import type * as direct from './swath_web.js';

export type * from './swath_web.js';

/** The methods of the engine of `swath/direct`, whose calls run in a worker, one at a time. */
export interface Engine extends Omit<direct.Engine, 'free' | typeof Symbol.dispose> {}

export declare class Engine {
    constructor(options?: direct.EngineOptions);
    /** Starts the worker before a call needs it. */
    warmUp(): Promise<void>;
    /** Ends the worker and its calls. A later call starts another one. */
    close(): void;
}
