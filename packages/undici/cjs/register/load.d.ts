import { type Policy } from '@ebb/core';
/**
 * The policy of a config, which exports options, a policy, or a function that returns one of them.
 *
 * @throws Error with the path, and for a wrong option with its name. The cause is the error of the file or of
 *   `createPolicy`
 */
export declare function loadPolicy(path: string): Policy;
//# sourceMappingURL=load.d.ts.map