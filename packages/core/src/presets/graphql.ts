import { property } from '../base/property.ts';
import { isRepeatable } from '../http/classify.ts';
import type { RequestTraits } from '../http/outcome.ts';
import { jsonIn, pathOf } from './body.ts';
import { operationsOf } from './graphql-document.ts';

/** True if the operation that one request asks for is a query. */
function asksQuery(request: unknown): boolean {
  const document = property(request, 'query');
  if (typeof document !== 'string') return false;
  const operations = operationsOf(document);
  const chosen = property(request, 'operationName') ?? '';
  // Without a name there must be one operation alone. A name that occurs twice does not tell which.
  const matching = chosen === '' ? operations : operations.filter(({ name }) => name === chosen);
  return matching.length === 1 && matching[0]?.kind === 'query';
}

/**
 * True if the body of a request to a GraphQL server only reads: a query, or a batch of queries. False if that is not certain,
 * as with a document that only the server knows (a persisted one).
 */
export function isQuery(body: unknown): boolean {
  const value = jsonIn(body);
  return Array.isArray(value) ? value.length > 0 && value.every(asksQuery) : asksQuery(value);
}

/**
 * The requests that may be repeated: those that are idempotent or have a key, and queries.
 *
 * @param endOfPath what the path of the GraphQL server ends with
 */
export function repeatsQueries(endOfPath: string): (request: RequestTraits) => boolean {
  return (request) =>
    isRepeatable(request) || (pathOf(request.url).endsWith(endOfPath) && isQuery(request.body));
}
