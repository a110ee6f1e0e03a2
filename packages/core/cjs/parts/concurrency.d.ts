import type { OwnLimit } from '../limits/contracts.ts';
import type { Call, Part, Turn } from '../policy/part.ts';
import { admit } from '../request/admit.ts';
/** Every attempt holds a slot of the limit, until its connection is free. */
export declare class ConcurrencyPart implements Part {
    #private;
    readonly name = "concurrency";
    readonly place = "slot";
    readonly admit: typeof admit;
    constructor(limit: OwnLimit);
    begin(call: Call): Turn | undefined;
}
//# sourceMappingURL=concurrency.d.ts.map