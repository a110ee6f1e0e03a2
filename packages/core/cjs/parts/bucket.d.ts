import type { OwnBucket } from '../limits/contracts.ts';
import type { Call, Part, Turn } from '../policy/part.ts';
import { admit } from '../request/admit.ts';
/** Every attempt takes tokens from the bucket. */
export declare class BucketPart implements Part {
    #private;
    readonly name = "bucket";
    readonly place = "tokens";
    readonly admit: typeof admit;
    constructor(bucket: OwnBucket);
    begin(call: Call): Turn;
}
//# sourceMappingURL=bucket.d.ts.map