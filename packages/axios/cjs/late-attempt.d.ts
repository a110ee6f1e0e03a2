import type { InternalAxiosRequestConfig } from 'axios';
/**
 * An attempt that has timed out, and whose custom adapter may go on with the config: it may have ignored its token, or
 * wait for something else. While ebb waits for the retry the config stays as it was in the attempt. Its token is
 * canceled, so that axios sends nothing more through another instance or its fetch adapter, and what is sent nevertheless
 * has the attempt's headers, an idempotency key for example.
 */
export declare class LateAttempt {
    #private;
    constructor(config: InternalAxiosRequestConfig);
    hold(): void;
    release(): void;
}
//# sourceMappingURL=late-attempt.d.ts.map