import type { EbbEvent } from '@ebb/core';
import type { Attributes, Meter } from '@opentelemetry/api';
/** Counts what happens to requests. */
export declare class RequestMetrics {
    #private;
    constructor(meter: Meter);
    /** @param attributes those of the request */
    count(event: EbbEvent, attributes: Attributes): void;
}
//# sourceMappingURL=metrics.d.ts.map