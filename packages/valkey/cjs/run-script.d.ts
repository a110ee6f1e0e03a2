import type { StoreClient } from './store-client.ts';
/** Runs a script over a key by its SHA-1, or sends it in full to a node that does not have it. */
export declare function runScript(storeClient: StoreClient, script: {
    readonly text: string;
    readonly sha1: string;
}, key: string, args: readonly string[]): Promise<unknown>;
//# sourceMappingURL=run-script.d.ts.map