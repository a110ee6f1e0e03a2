import type { Act, Played } from './acts.ts';
import type { Lane } from './lanes.ts';
import { bucket } from './policy.ts';
import type { Upstream } from './upstreams.ts';

/** Checks that what the screen claims is true. Returns the first contradiction as a sentence. */
export function brokenPromise(act: Act, played: Played): string | undefined {
  const { upstream, lanes } = played;
  return act.broken(played) ?? otherCount(upstream, lanes) ?? tooSoon(upstream) ?? tooMany(lanes);
}

/** The server saw as many requests as the policy reported attempts. */
function otherCount({ arrivals }: Upstream, lanes: readonly Lane[]): string | undefined {
  const attempts = lanes.reduce((sum, lane) => sum + lane.attempts, 0);
  if (attempts === arrivals.length) return undefined;
  return `the policy reported ${attempts} attempts, but the server saw ${arrivals.length}`;
}

/** By the server's clock, no request came back before its Retry-After was over. */
function tooSoon({ arrivals }: Upstream): string | undefined {
  for (const [index, { atMs, request, retryAfterMs }] of arrivals.entries()) {
    const again = arrivals.slice(index + 1).find((later) => later.request === request);
    if (retryAfterMs === undefined || again === undefined || again.atMs >= atMs + retryAfterMs) continue;
    return `${request} came back after ${again.atMs - atMs} ms, but Retry-After was ${retryAfterMs} ms`;
  }
  return undefined;
}

/** No interval has more attempts than the bucket allows, plus two: a busy machine notes attempts late. */
function tooMany(lanes: readonly Lane[]): string | undefined {
  const { capacity, refillPerSecond } = bucket.stats();
  const sent = lanes
    .flatMap((lane) => lane.states.filter(({ state }) => state === 'sent').map(({ atMs }) => atMs))
    .sort((a, b) => a - b);
  for (const [first, fromMs] of sent.entries()) {
    for (const [more, untilMs] of sent.slice(first).entries()) {
      const most = capacity + ((untilMs - fromMs) / 1_000) * refillPerSecond + 2;
      if (more + 1 > most)
        return `${more + 1} attempts within ${untilMs - fromMs} ms, more than the bucket allows`;
    }
  }
  return undefined;
}
