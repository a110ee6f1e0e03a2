import type { RequestTraits } from '../http/outcome.ts';
/**
 * True if the body of a request to a GraphQL server only reads: a query, or a batch of queries. False if that is not certain,
 * as with a document that only the server knows (a persisted one).
 */
export declare function isQuery(body: unknown): boolean;
/**
 * The requests that may be repeated: those that are idempotent or have a key, and queries.
 *
 * @param endOfPath what the path of the GraphQL server ends with
 */
export declare function repeatsQueries(endOfPath: string): (request: RequestTraits) => boolean;
//# sourceMappingURL=graphql.d.ts.map