import type { RequestTraits } from '../http/outcome.ts';
import { emit, type News } from '../news/events.ts';
import { AtOnce, successOf } from './at-once.ts';
import { ALONE, type Call } from './call.ts';
import type { Client } from './client.ts';
import { remember } from './history.ts';
import type { Lack, PartCall } from './part.ts';
import { type Owner, PartsOfCall } from './parts-of-call.ts';
import { insideOf, type Policy } from './policy.ts';
import { endUnsent, type Readiness, wait } from './prepare.ts';
import { Run } from './run.ts';

/**
 * A call that takes at once what its parts ask for, and is sent. They bring this code. To them it is the request as well: that of the
 * client is made once someone reads a field of it.
 */
export class Taking<T, Input, Init> extends AtOnce<T, Input, Init> implements Owner, RequestTraits {
  attempt = 0;
  readonly #parts = new PartsOfCall(this);
  #made: (RequestTraits & Client<T>) | undefined;

  override get request(): RequestTraits {
    return this;
  }

  get method(): string {
    return this.makeRequest().method;
  }

  get url(): string {
    return this.makeRequest().url;
  }

  get replayable(): boolean {
    return this.makeRequest().replayable;
  }

  get body(): unknown {
    return this.makeRequest().body;
  }

  header(name: string): string | undefined {
    return this.makeRequest().header(name);
  }

  get policy(): Policy {
    return this.client.policy;
  }

  get around(): PartCall['around'] {
    return ALONE;
  }

  get givenFeedback(): PartCall['givenFeedback'] {
    return insideOf(this.policy).feedback;
  }

  emit(news: News): void {
    emit(this, news);
  }

  override get tookFrom(): readonly object[] {
    const { bucket } = this.#parts;
    return bucket === undefined ? [] : [bucket];
  }

  override send(): Promise<T> {
    const parts = this.#parts;
    let lack: Lack | undefined;
    try {
      parts.begin(insideOf(this.policy).parts);
      lack = parts.take();
    } catch (error) {
      return this.#goOn((call) => endUnsent(call, error, undefined));
    }
    if (lack !== undefined)
      return this.#goOn((call) => wait(call, undefined, undefined, undefined, { lack }));
    this.attempt = 1;
    if (parts.grant?.conforming === false) this.emit({ type: 'mark' });
    return super.send();
  }

  /** Goes on in a call, before its first attempt. */
  #goOn(ready: (call: Call) => Promise<Readiness>): Promise<T> {
    const request = this.makeRequest();
    const call = this.makeCall(request);
    return new Run(call, request).goOnWaiting(ready(call));
  }

  protected override succeeded(value: T, status: number): void {
    const parts = this.#parts;
    parts.leave(this.client.outcome?.(value) ?? this.makeRequest().outcome(value));
    parts.end('success');
    const attempts = successOf(status);
    remember(value, parts.grant === undefined ? attempts : { attempts, grant: parts.grant });
  }

  protected override makeRequest(): RequestTraits & Client<T> {
    this.#made ??= super.makeRequest();
    return this.#made;
  }

  protected override makeCall(request: RequestTraits): Call {
    const call = super.makeCall(request);
    this.#parts.owner = call;
    call.parts = this.#parts;
    return call;
  }
}
