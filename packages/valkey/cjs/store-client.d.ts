import { check } from '@ebb/core/bucket';
/**
 * The two commands that a bucket or a budget needs. Both resolve with the script's reply, a list of numbers and
 * strings, and reject with an error whose message contains the server's.
 */
export interface StoreClient {
    /** Runs a script by its SHA-1 over one key. Rejects with `NOSCRIPT` if the server does not have the script. */
    evalsha(sha1: string, key: string, args: readonly string[]): Promise<unknown>;
    /** Runs a script over one key. */
    eval(script: string, key: string, args: readonly string[]): Promise<unknown>;
}
/** A `Redis` or a `Cluster` of iovalkey or ioredis. */
export interface IoredisClient {
    evalsha(...args: never[]): unknown;
    eval(...args: never[]): unknown;
    defineCommand(...args: never[]): unknown;
}
/** The result of `createClient`, `createCluster` or `createSentinel` of `redis`. */
export interface NodeRedisClient {
    evalSha(...args: never[]): unknown;
    eval(...args: never[]): unknown;
}
/** A `GlideClient` or a `GlideClusterClient` of @valkey/valkey-glide. */
export interface ValkeyGlideClient {
    customCommand(...args: never[]): unknown;
}
/** A client that a bucket or a budget can use. */
export type ValkeyClient = IoredisClient | NodeRedisClient | ValkeyGlideClient | StoreClient;
/** The two commands through the API of a client that {@link checkClient} accepts. */
export declare function storeClientOf(client: ValkeyClient): StoreClient;
export declare const checkClient: check.Check;
//# sourceMappingURL=store-client.d.ts.map