import type { ThrottleState } from '../../events/events.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import { ThrottleRule } from './rule.ts';

/** The most classes with a rule of their own. */
const MOST_CLASSES = 16;

/** Scheme, host and first segment of the path, also of a relative URL. */
const START = /^(?:[^/?#]*\/\/[^/?#]*)?\/?[^/?#]*/;

/** The last request that was asked for, and its class. */
let [lastMethod, lastUrl, lastClass] = ['', '', ''];

/** Method, origin and first segment of the path: `GET https://api.example.com/orders`. */
export function pathClassOf({ method, url }: RequestTraits): string {
  // A call is asked for its class at its start and at each attempt.
  if (url !== lastUrl || method !== lastMethod) {
    [lastMethod, lastUrl] = [method, url];
    lastClass = `${method} ${START.exec(url)?.[0]}`;
  }
  return lastClass;
}

/** Requests that succeed or fail together, with a rule for them alone. */
export class RequestClass {
  readonly rule: ThrottleRule = new ThrottleRule();
  readonly name: string;
  /** The last failures: when they lower the level, those in a row. */
  failures: readonly string[] = [];
  /** The state that the last event has reported. */
  reportedState: ThrottleState = 'closed';

  constructor(name: string) {
    this.name = name;
  }
}

/** The classes of the requests of one throttle. Those without an outcome for long make room for others. */
export class RequestClasses {
  /** When one of them has learned last. */
  learnedAtMs = 0;
  readonly #named = new Map<string, RequestClass>();
  /** The class of the requests for whose own there is no room. */
  readonly #others = new RequestClass('');

  /** @param now called if there is no room */
  of(name: string, now: () => number): RequestClass {
    const found = this.#named.get(name);
    if (found) return found;
    if (this.#named.size >= MOST_CLASSES) this.#forget(now());
    if (this.#named.size >= MOST_CLASSES) return this.#others;
    const made = new RequestClass(name);
    this.#named.set(name, made);
    return made;
  }

  #forget(nowMs: number): void {
    for (const [name, { rule }] of this.#named) if (rule.isIdle(nowMs)) this.#named.delete(name);
  }

  get #rules(): ThrottleRule[] {
    return [this.#others, ...this.#named.values()].map(({ rule }) => rule);
  }

  /** The rule with the lowest level, of those in trouble. A rule without an outcome for long does not count. */
  get lowest(): ThrottleRule | undefined {
    return this.#rules
      .filter((rule) => rule.state !== 'closed' && !rule.isIdle(this.learnedAtMs))
      .sort((one, other) => one.level - other.level)[0];
  }

  /** Sends everything again. */
  reset(): void {
    for (const rule of this.#rules) rule.reset();
  }
}
