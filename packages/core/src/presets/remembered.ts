import { property } from '../base/property.ts';
import { jsonIn } from './body.ts';

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

/** What queries have cost when they were sent last, by their text. */
export class Remembered {
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
