import { type Peek } from '@ebb/core/adapter';
/**
 * Opens a clone of a response, so that the response keeps its body. `undefined` for a response without a body, and for a
 * mock that cannot be cloned.
 */
export declare function peekAt(response: Response): Peek | undefined;
//# sourceMappingURL=peek.d.ts.map