/** What an operation of a document does, and its name if it has one. */
export interface Operation {
    readonly kind: 'query' | 'mutation' | 'subscription';
    readonly name: string | undefined;
}
/**
 * The operations of a GraphQL document, in their order; none if it cannot be read. It need not be valid: the server checks
 * that, and refuses it.
 *
 * Source: GraphQL, September 2025, §2.1 to §2.4.
 */
export declare function operationsOf(document: string): readonly Operation[];
//# sourceMappingURL=graphql-document.d.ts.map