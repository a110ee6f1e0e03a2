import { prose } from '#prose';
import { callHook } from '../../base/errors.ts';
import { must } from '../../base/option-error.ts';
import { report } from '../../base/warn.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import { HedgeKey } from './key.ts';
import { type HedgeOptions, type HedgeSetup, readHedgeOptions } from './options.ts';

/** Marks clients that hedge, and the options of their requests, for all copies of this package in a program. */
export const HEDGES: unique symbol = Symbol.for('@ebb/core hedges') as never;

/** With more keys all are forgotten, and learn anew. */
const MOST_KEYS = 10_000;

/** What all requests of a client that hedges share. */
export class Hedging {
  readonly setup: HedgeSetup;
  readonly #keys = new Map<string, HedgeKey>();

  /** @throws TypeError, RangeError for a wrong option */
  constructor(caller: string, options: HedgeOptions) {
    this.setup = readHedgeOptions(caller, options);
  }

  /**
   * @param name what it was given as
   * @throws TypeError if what sends the tries is no function, RangeError if it hedges already: each try would be hedged again
   */
  mustNotHedge(name: string, below: unknown): void {
    must(
      name,
      prose('a function that does not hedge already'),
      below,
      typeof below === 'function',
      !(HEDGES in Object(below)),
    );
  }

  /** Marks what the user gets. */
  mark<F extends object>(client: F): F {
    return Object.assign(client, { [HEDGES]: true });
  }

  /** @param method in upper case */
  hedges(method: string): boolean {
    const { methods } = this.setup;
    return methods === 'all' || methods.includes(method);
  }

  /** @throws HookError if `keyOf` throws */
  keyOf(request: RequestTraits): HedgeKey {
    const { keyOf, policy } = this.setup;
    const name = callHook('keyOf', () => keyOf(request));
    let key = this.#keys.get(name);
    if (key === undefined) {
      if (this.#keys.size === MOST_KEYS) this.#keys.clear();
      key = new HedgeKey(this.setup, policy.clock);
      this.#keys.set(name, key);
    }
    return key;
  }

  /** The URL of a hedge, if it goes to another origin; `null` if it is not sent, because that is not known. */
  target(request: RequestTraits): string | null | undefined {
    const { to } = this.setup;
    if (to === undefined) return undefined;
    try {
      const { protocol, host } = new URL(to(request));
      return Object.assign(new URL(request.url), { protocol, host }).href;
    } catch (error) {
      // The request itself is well.
      report('to', to, error);
      return null;
    }
  }
}
