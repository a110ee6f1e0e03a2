import type { Policy } from '@ebb/core';
/**
 * Puts the policy on the global dispatcher, for undici and for Node's fetch. fetch is not wrapped: its requests pass
 * through the dispatcher, and one layer must retry them, not two.
 */
export declare function install(policy: Policy): void;
//# sourceMappingURL=install.d.ts.map