import type { BodyFactory } from '../init.ts';
/** A body that a factory made for one attempt. */
export interface MadeBody {
    /** The body for the base fetch. */
    readonly body: BodyInit;
    /** True if it is read as it is sent. */
    readonly isOnce: boolean;
    /** True if its source, such as a file, may still be open. */
    readonly isOpen: boolean;
    /** Closes the source. */
    close(): void;
}
/**
 * Calls a body factory.
 *
 * @throws HookError if the factory throws
 */
export declare function makeBody(factory: BodyFactory): Promise<MadeBody>;
//# sourceMappingURL=body-factory.d.ts.map