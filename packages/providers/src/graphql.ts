import type { RequestTraits } from '@ebb/core';
import { isRepeatable, property } from '@ebb/core/internal';
import { jsonIn, pathOf } from './body.ts';

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
 * True if the body of a request to a GraphQL server only reads: a query, or a batch of queries. False if uncertain, as for a persisted
 * document, which only the server knows.
 */
export function isQuery(body: unknown): boolean {
  const value = jsonIn(body);
  return Array.isArray(value) ? value.length > 0 && value.every(asksQuery) : asksQuery(value);
}

/**
 * Returns a test for requests that may be repeated: idempotent requests, requests with a key, and queries.
 *
 * @param endOfPath what the path of the GraphQL server ends with
 */
export function repeatsQueries(endOfPath: string): (request: RequestTraits) => boolean {
  return (request) =>
    isRepeatable(request) || (pathOf(request.url).endsWith(endOfPath) && isQuery(request.body));
}

/** An operation of a document: its kind, and its name if it has one. */
export interface Operation {
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly name: string | undefined;
}

/** Blanks, commas, byte order marks and comments, which mean nothing. Names, numbers and punctuators. */
const TOKEN = /(?:[\s,\uFEFF]+|#[^\n\r]*)|([_A-Za-z]\w*)|(?:-?\d[\w.+-]*|\.\.\.)|([!$&():=@[\]{|}])/y;

const OPENING = '({[';
const CLOSING = ')}]';

/** Something that the reader does not know: the whole document is then of no known kind. */
class UnknownSyntax extends Error {}

/** Where a string ends that begins at a position: strings may have braces and keywords in them. */
function endOfString(text: string, start: number): number {
  if (text.startsWith('"""', start)) {
    for (let at = text.indexOf('"""', start + 3); at >= 0; at = text.indexOf('"""', at + 3)) {
      if (text[at - 1] !== '\\') return at + 3;
    }
    throw new UnknownSyntax();
  }
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') return at + 1;
    if (character === '\n' || character === '\r') break;
    if (character === '\\') at += 1;
  }
  throw new UnknownSyntax();
}

/** The names and punctuators of a document. */
function* tokensOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    if (text[at] === '"') {
      at = endOfString(text, at);
      continue;
    }
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) throw new UnknownSyntax();
    at = TOKEN.lastIndex;
    const token = found[1] ?? found[2];
    if (token !== undefined) yield token;
  }
}

/** Reads past a definition whose head has begun: up to the end of its first braces that are in nothing else. */
function skipDefinition(tokens: Iterator<string>, first: string | undefined, isFragment = false): void {
  const open: string[] = [];
  let before: string | undefined;
  for (let token = first; token !== undefined; before = token, token = nextToken(tokens)) {
    // In the head of an operation only directives have names.
    if (open.length === 0 && !isFragment && isName(token) && before !== '@') throw new UnknownSyntax();
    if (OPENING.includes(token)) {
      open.push(token);
    } else if (CLOSING.includes(token)) {
      const opened = open.pop();
      if (opened === undefined || OPENING.indexOf(opened) !== CLOSING.indexOf(token))
        throw new UnknownSyntax();
      if (opened === '{' && open.length === 0) return;
    }
  }
  throw new UnknownSyntax();
}

function nextToken(tokens: Iterator<string>): string | undefined {
  const { done, value } = tokens.next();
  return done ? undefined : value;
}

function isName(token: string | undefined): token is string {
  return token !== undefined && /^\w/.test(token);
}

function readOperations(text: string): Operation[] {
  const tokens = tokensOf(text);
  const operations: Operation[] = [];
  for (let token = nextToken(tokens); token !== undefined; token = nextToken(tokens)) {
    if (token === 'query' || token === 'mutation' || token === 'subscription') {
      const after = nextToken(tokens);
      operations.push({ kind: token, name: isName(after) ? after : undefined });
      skipDefinition(tokens, isName(after) ? nextToken(tokens) : after);
    } else if (token === '{') {
      operations.push({ kind: 'query', name: undefined });
      skipDefinition(tokens, token);
    } else if (token === 'fragment') {
      skipDefinition(tokens, nextToken(tokens), true);
    } else {
      throw new UnknownSyntax();
    }
  }
  return operations;
}

/**
 * The operations of a GraphQL document, in their order; none if it cannot be read. It need not be valid: the server checks
 * that, and refuses it.
 *
 * Source: GraphQL, September 2025, §2.1 to §2.4.
 */
export function operationsOf(document: string): readonly Operation[] {
  try {
    return readOperations(document);
  } catch (error) {
    if (error instanceof UnknownSyntax) return [];
    throw error;
  }
}

/** With more queries the one that was not used longest is forgotten. */
const MOST_QUERIES = 1_000;

/** The query of a GraphQL request, as text; of a batch all of them. `undefined` if it is not known. */
export function queryIn(body: unknown): string | undefined {
  const json = jsonIn(body);
  const query = Array.isArray(json)
    ? json.map((one) => property(one, 'query')).join('\n')
    : property(json, 'query');
  return typeof query === 'string' && query !== '' ? query : undefined;
}

/** The last costs of queries, by their text. */
export class CostMemory {
  readonly #costs = new Map<string, number>();

  get(query: string | undefined): number | undefined {
    if (query === undefined) return undefined;
    const cost = this.#costs.get(query);
    if (cost !== undefined) this.set(query, cost);
    return cost;
  }

  set(query: string | undefined, cost: number): void {
    if (query === undefined) return;
    // To the end, which is the newest.
    this.#costs.delete(query);
    this.#costs.set(query, cost);
    for (const oldest of this.#costs.keys()) {
      if (this.#costs.size <= MOST_QUERIES) break;
      this.#costs.delete(oldest);
    }
  }
}
