import type { Outcome, RequestTraits } from '../http/outcome.ts';
import type { Grant } from './contracts.ts';
import { isObserved, makeEvent, type News, report } from './events.ts';
import { type Attempt, recordOf, type Trace } from './history.ts';
import type { Policy } from './policy.ts';
import { type ReportedRequest, reportedRequest } from './reported.ts';

/** What has happened to a request, for its history and for those who listen. */
export class Ledger {
  readonly policy: Policy;
  readonly request: RequestTraits;
  /** The attempt in flight, from 1; 0 before the first. */
  attempt = 0;
  /** The delay before the next attempt, in milliseconds. */
  protected delayMs = 0;
  /** How long the attempt has waited for what its parts take, in milliseconds. */
  waitedMs = 0;
  /** The tokens of the attempt. */
  grant: Grant | undefined;
  #history: Attempt[] | undefined;
  /** The request in events; `undefined` before the first. */
  #reported: ReportedRequest | undefined;

  constructor(policy: Policy, request: RequestTraits) {
    this.policy = policy;
    this.request = request;
  }

  /** The attempts that were judged. The array grows while the session goes on. */
  get history(): readonly Attempt[] {
    this.#history ??= [];
    return this.#history;
  }

  /** What to note on the result. */
  get trace(): Trace {
    const { grant, history } = this;
    return grant === undefined ? history : { attempts: history, grant };
  }

  protected note(outcome: Outcome, reason: Attempt['reason']): void {
    const record = recordOf(this.attempt, this.delayMs, this.waitedMs, outcome, reason);
    // A literal has no room for more entries, which most requests do not need.
    if (this.#history === undefined) this.#history = [record];
    else this.#history.push(record);
  }

  /** The retry that the last attempt was followed by is not sent. */
  protected noteUnsent(reason: Attempt['reason']): void {
    const last = this.#history?.pop();
    if (last !== undefined) this.#history?.push({ ...last, reason });
  }

  /** Tells all who want to know. */
  emit(news: News): void {
    const { onEvent, clock } = this.policy;
    if (!isObserved(onEvent, news.type)) return;
    this.#reported ??= reportedRequest(this.request);
    const common = { request: this.#reported, attempt: this.attempt, atMs: clock.now() };
    report(onEvent, makeEvent(news, this.request, common));
  }
}
