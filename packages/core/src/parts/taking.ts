import type { RequestTraits } from '../http/outcome.ts';
import type { AtOnce } from '../loop/at-once.ts';
import type { Call } from '../loop/call.ts';
import type { ClientAdapter } from '../loop/client.ts';
import { setHistory, successOf } from '../loop/history.ts';
import { insideOf, type Policy } from '../loop/options.ts';
import type { Blocker, PartCall } from '../loop/part.ts';
import { ALONE, type Owner, PartsOfCall } from '../loop/parts-of-call.ts';
import { emit, type News } from '../news/emit.ts';

/** The class over the base that was last given: as a rule a program has one copy of this package, and one base. */
let last: { readonly Base: typeof AtOnce; readonly Taking: typeof AtOnce } | undefined;

/** What limits bring as `taking`. A client has the base: a program with a limit and no client has nothing of the loop. */
export function takingOver(Base: typeof AtOnce): typeof AtOnce {
  if (last?.Base !== Base) last = { Base, Taking: classOver(Base) };
  return last.Taking;
}

/**
 * A call that takes at once what its parts ask for, and is sent. They bring this code. To them it is the request as well: that of the
 * client is made once someone reads a field of it.
 */
function classOver(Base: typeof AtOnce): typeof AtOnce {
  return class Taking<T, Input, Init> extends Base<T, Input, Init> implements Owner, RequestTraits {
    attempt = 0;
    readonly #parts = new PartsOfCall(this);
    #made: (RequestTraits & ClientAdapter<T>) | undefined;

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

    get layers(): PartCall['layers'] {
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

    override get slotsOf(): readonly object[] {
      const { bodyHolder } = this.#parts;
      return bodyHolder === undefined ? super.slotsOf : [bodyHolder];
    }

    override send(): Promise<T> {
      const parts = this.#parts;
      let blocker: Blocker | undefined;
      try {
        parts.begin(insideOf(this.policy).parts);
        blocker = parts.take();
      } catch (error) {
        return this.goOnUnsent(undefined, error);
      }
      if (blocker !== undefined) return this.goOnUnsent(blocker);
      this.attempt = 1;
      if (parts.grant?.conforming === false) this.emit({ type: 'mark' });
      return super.send();
    }

    protected override succeeded(value: T, status: number): void {
      const parts = this.#parts;
      const outcome = this.client.outcome?.(value) ?? this.makeRequest().outcome(value);
      try {
        parts.leave(outcome);
      } catch (error) {
        throw this.failed(value, outcome, error);
      }
      parts.end('success');
      if (parts.bodyHolder !== undefined) this.#freeAfter(value, status);
      const attempts = successOf(status);
      setHistory(value, parts.grant === undefined ? attempts : { attempts, grant: parts.grant });
    }

    /** The slot is free when the body has ended. */
    #freeAfter(value: T, status: number): void {
      const parts = this.#parts;
      // Hazard: it must not hold the response, which could not be collected.
      const ended = (): void => parts.free();
      const watch = parts.whenBodyEnds;
      if (watch === undefined) ended();
      else watch(value, { method: this.method, status, signal: undefined, clock: this.policy.clock }, ended);
    }

    protected override makeRequest(): RequestTraits & ClientAdapter<T> {
      this.#made ??= super.makeRequest();
      return this.#made;
    }

    protected override makeCall(request: RequestTraits): Call {
      const call = super.makeCall(request);
      this.#parts.owner = call;
      call.parts = this.#parts;
      return call;
    }
  };
}
