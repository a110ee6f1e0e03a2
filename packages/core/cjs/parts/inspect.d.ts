import type { BodyInspector } from '../http/inspect.ts';
import type { Call, Part, Turn } from '../policy/part.ts';
/** Judges responses by their bodies. */
export declare class InspectPart implements Part {
    #private;
    readonly name = "inspect";
    readonly place = "reading";
    constructor(inspector: Pick<BodyInspector, 'look'>);
    begin(call: Call): Turn | undefined;
}
//# sourceMappingURL=inspect.d.ts.map