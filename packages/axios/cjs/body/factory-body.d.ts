import type { InternalAxiosRequestConfig } from 'axios';
/**
 * Makes the body of one attempt, for example a newly opened stream. Pass it as `data`; ebb calls it for each
 * attempt. It may return anything that axios accepts as `data`, or a promise of that.
 *
 * The request fails with a HookError if it throws, rejects, or returns the same stream twice.
 */
export type BodyFactory = () => unknown;
/**
 * The bodies that a {@link BodyFactory} makes. Each goes through `transformRequest` once, when it is made; the
 * factory itself never does.
 */
export declare class FactoryBody {
    #private;
    /** Replaces the transforms of the config, until {@link restoreTransforms}. */
    constructor(config: InternalAxiosRequestConfig);
    restoreTransforms(config: InternalAxiosRequestConfig): void;
    /**
     * Makes the body of an attempt. A body that arrives when that is over is closed.
     *
     * @throws HookError if the factory throws or rejects, or returns the stream that it returned before
     */
    next(config: InternalAxiosRequestConfig, factory: BodyFactory, isOver: () => boolean): Promise<unknown>;
    /** Whether the current attempt has a stream, which may not have been read to its end. */
    get isOpen(): boolean;
    /** Closes the body of an attempt that is over. */
    release(): void;
}
//# sourceMappingURL=factory-body.d.ts.map