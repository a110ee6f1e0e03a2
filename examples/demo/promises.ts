import type { Act, Played } from './acts.ts';
import type { Lane } from './lanes.ts';
import { bucket } from './policy.ts';
import type { Upstream } from './upstreams.ts';

/** What the screen says and did not come true, as a sentence; `undefined` when all of it did. */
export function brokenPromise(act: Act, played: Played): string | undefined {
  const { upstream, lanes } = played;
  return act.broken(played) ?? otherCount(upstream, lanes) ?? tooSoon(upstream) ?? tooMany(lanes);
}

/** The upstream's own view: as many requests as the policy told of. */
function otherCount({ arrivals }: Upstream, lanes: readonly Lane[]): string | undefined {
  const attempts = lanes.reduce((sum, lane) => sum + lane.attempts, 0);
  if (attempts === arrivals.length) return undefined;
  return `the policy told of ${attempts} attempts, and the server saw ${arrivals.length}`;
}

/** The upstream's own view: nobody came back before the time that it named. */
function tooSoon({ arrivals }: Upstream): string | undefined {
  for (const [index, { atMs, request, retryAfterMs }] of arrivals.entries()) {
    const again = arrivals.slice(index + 1).find((later) => later.request === request);
    if (retryAfterMs === undefined || again === undefined || again.atMs >= atMs + retryAfterMs) continue;
    return `${request} came back after ${again.atMs - atMs} ms, and was asked to wait ${retryAfterMs} ms`;
  }
  return undefined;
}

/** In no stretch of time more attempts than the bucket holds and gets, but for two, as a busy machine notes them late. */
function tooMany(lanes: readonly Lane[]): string | undefined {
  const { capacity, refillPerSecond } = bucket.stats();
  const sent = lanes
    .flatMap((lane) => lane.states.filter(({ state }) => state === 'sent').map(({ atMs }) => atMs))
    .sort((a, b) => a - b);
  for (const [first, fromMs] of sent.entries()) {
    for (const [more, untilMs] of sent.slice(first).entries()) {
      const most = capacity + ((untilMs - fromMs) / 1_000) * refillPerSecond + 2;
      if (more + 1 > most) return `${more + 1} attempts went within ${untilMs - fromMs} ms, past the bucket`;
    }
  }
  return undefined;
}
