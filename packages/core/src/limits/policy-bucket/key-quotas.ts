import { isTrouble } from '../../http/classify.ts';
import type { Outcome } from '../../http/outcome.ts';
import type { TokenSource } from '../bucket/token-source.ts';
import { quotasSaid } from './fields.ts';
import { type CountedRequest, ServerQuota } from './server-quota.ts';

/** Against a server that names ever more policies: the most of a key, and of all. */
const [MOST_OF_KEY, MOST] = [32, 10_000];

/** By origin, policy and partition key; of one key by policy. */
export type Quotas = Map<string, ServerQuota>;

/** The oldest makes room. */
function put(quotas: Quotas, name: string, quota: ServerQuota, most: number): void {
  quotas.set(name, quota);
  if (quotas.size > most) quotas.delete(quotas.keys().next().value as string);
}

/** The quotas of one key, which others may share. At the start it has one without a name, whose request asks which there are. */
export class KeyQuotas implements TokenSource<CountedRequest | undefined> {
  readonly capacity: number = Infinity;
  readonly refillPerSecond: number = Infinity;
  held: CountedRequest | undefined;
  /** Serves the requests that wait. */
  serve: () => void = () => undefined;
  readonly #all: Quotas;
  /** The longest time for which an answer counts, in milliseconds. */
  readonly #longestMs: number;
  readonly #own: Quotas = new Map([['', new ServerQuota()]]);
  readonly #open = new Set<CountedRequest>();
  #pausedUntilMs = 0;

  constructor(all: Quotas, longestMs: number) {
    this.#all = all;
    this.#longestMs = longestMs;
  }

  #each<T>(find: (quota: ServerQuota) => T): T[] {
    return [...this.#own.values()].map(find);
  }

  take(cost: number, nowMs: number): boolean {
    if (this.#dueMs(cost, nowMs) > nowMs) return false;
    this.held = { grantedAtMs: nowMs, cost, quotas: new Set() };
    this.#open.add(this.held);
    for (const quota of this.#own.values()) quota.begin(this.held);
    return true;
  }

  #dueMs(cost: number, nowMs: number): number {
    return Math.max(nowMs + this.pausedMs(nowMs), ...this.#each((one) => one.dueMs(cost, nowMs)));
  }

  dueMs(firstCost: number, nowMs: number): number {
    if (firstCost === 0) return Infinity;
    for (const quota of this.#own.values()) quota.followers.add(this.serve);
    return this.#dueMs(firstCost, nowMs);
  }

  waitMs(cost: number, nowMs: number): number {
    return Math.max(this.pausedMs(nowMs), ...this.#each((one) => one.waitMs(cost, nowMs)));
  }

  /**
   * A request is over: it was answered, has failed, or was not sent. Nothing may be granted before its answer was heard.
   *
   * @param origin that of its URL
   */
  end(counted: CountedRequest | undefined, outcome?: Outcome, origin = '', nowMs = 0): void {
    if (counted) this.#open.delete(counted);
    const counting = [...(counted?.quotas ?? [])];
    const asked = counting.filter((quota) => quota.end(counted as CountedRequest));
    const response = outcome?.type === 'response' ? outcome : undefined;
    const named = (response ? quotasSaid(response) : []).map((said) => {
      const name = [origin, said.policy, said.key].join('\n');
      const quota = this.#all.get(name) ?? new ServerQuota();
      put(this.#all, name, quota, MOST);
      // Those in flight count as well.
      if (this.#own.get(said.policy) !== quota) for (const one of this.#open) quota.begin(one);
      put(this.#own, said.policy, quota, MOST_OF_KEY);
      quota.heard(
        { ...said, resetMs: Math.min(said.resetMs, this.#longestMs) },
        counted?.grantedAtMs ?? nowMs,
        nowMs,
      );
      return quota;
    });
    // A quota that the service does not name is far from used up. A refusal without fields is of something before it.
    if (response && (named.length > 0 || !isTrouble(response.status)))
      for (const [policy, quota] of this.#own)
        if (asked.includes(quota) && !named.includes(quota)) this.#own.delete(policy);
    for (const quota of new Set([...counting, ...named])) quota.tell();
  }

  settle(_surplus: number, held: CountedRequest | undefined): void {
    this.end(held);
  }

  /** After it one request asks what there is. */
  pause(untilMs: number): void {
    this.#pausedUntilMs = Math.max(untilMs, this.#pausedUntilMs);
    this.#own.set('', new ServerQuota());
  }

  resume(): void {
    this.#pausedUntilMs = 0;
  }

  pausedMs(nowMs: number): number {
    return Math.max(0, this.#pausedUntilMs - nowMs);
  }

  tokens(nowMs: number): number {
    return Math.min(...this.#each((one) => one.left(nowMs)));
  }

  isIdle(nowMs: number): boolean {
    return this.pausedMs(nowMs) === 0 && !this.#each((one) => one.isIdle(nowMs)).includes(false);
  }
}
