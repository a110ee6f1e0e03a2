import type { Call, Part, Turn } from '../policy/part.ts';
import { admit } from '../request/admit.ts';
/** The limit of the key of each call takes part in it. */
export declare class PerKeyPart implements Part {
    #private;
    readonly name = "per-key";
    /** What it makes is not known yet. Of two parts in one place the one that its option puts first goes first. */
    readonly place = "tokens";
    readonly admit: typeof admit;
    constructor(limitOf: (call: Call) => object);
    /** @throws HookError if what `make` returns is no limit */
    begin(call: Call): Turn | undefined;
}
//# sourceMappingURL=per-key.d.ts.map