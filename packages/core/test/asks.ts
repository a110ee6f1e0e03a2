// What limits are asked for in tests, and what becomes of it.
import type { Clock } from '../src/base/time.ts';
import type { Outcome, RequestTraits } from '../src/http/outcome.ts';
import type { AcquireOptions, BucketMethods } from '../src/policy/contracts.ts';
import { type VirtualClock, virtualClock } from '../src/testing.ts';

type Headers = Readonly<Record<string, string>>;

export function to(url: string, headers: Headers = {}): RequestTraits {
  return { method: 'GET', url, replayable: true, header: (name) => headers[name] };
}

export function responds(status: number, headers: Headers = {}, url?: string): Outcome {
  return { type: 'response', status, header: (name) => headers[name], url };
}

/** The grant of a bucket that has the tokens. */
export function taken<T>(grant: T | undefined): T {
  if (grant === undefined) throw new Error('The tokens were not there');
  return grant;
}

/** Writes down when each promise was kept, or why it was not, in order. */
export function journal(clock: Clock) {
  const lines: string[] = [];
  const note = (name: string, promise: Promise<unknown>): void => {
    const write = (what: string) => lines.push(`${what} ${Math.round(clock.now() * 10) / 10}`);
    promise.then(
      () => write(name),
      (error) => write(`${name} ${error.reason ?? error}`),
    );
  };
  return { lines, note };
}

/** A bucket with a clock of its own, and when each request is granted, or why it is refused. */
export function asked<B extends BucketMethods>(make: (clock: VirtualClock) => B) {
  const clock = virtualClock({ startMs: 0 });
  const bucket = make(clock);
  const { lines, note } = journal(clock);
  const ask = (name: string | number, options?: AcquireOptions): void =>
    note(`${name}`, bucket.acquire(options));
  return { clock, bucket, lines, note, ask };
}
