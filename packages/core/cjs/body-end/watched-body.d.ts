import type { BodyUse } from './body-use.ts';
import { type BodyInterceptor } from './intercept-body.ts';
/** Observes how the body of a response is read, without changing what is read. */
export declare class WatchedBody implements BodyInterceptor {
    #private;
    readonly use: BodyUse;
    constructor(response: Response, use: BodyUse);
    read(response: Response, native: (this: Response) => Promise<unknown>): Promise<unknown>;
    stream(response: Response, native: () => unknown): unknown;
    clone(_: Response, native: () => Response): Response;
    /** True if it is being read, as far as that can be observed. */
    get isRead(): boolean;
}
//# sourceMappingURL=watched-body.d.ts.map