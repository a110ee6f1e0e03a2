import { getEventListeners } from 'node:events';
import type { CallPlan, Case } from './case.ts';
import type { Complaint } from './oracle.ts';
import type { Played } from './play.ts';

/** The tokens that attempts have taken, at most and at least, from buckets that hardly refill. */
function* judgeTokens({ of, probe, seen }: Played): Iterable<Complaint> {
  const { bucket, cost = 1, actualCost } = of.parts;
  for (const each of probe.buckets) {
    const { tokens, capacity, refillPerSecond, waiting } = each.stats();
    if (waiting > 0) yield { rule: 'waiting', detail: `${waiting} wait for tokens` };
    // What a server says that a request has cost is bounded by the longest pause, of 5 ms here.
    const least = -capacity - refillPerSecond * 0.005 - cost * (of.calls.length + probe.events.length);
    if (tokens < least) yield { rule: 'debt', detail: `${tokens} tokens` };
  }
  if (probe.buckets.length === 0 || bucket?.kind !== 'still' || actualCost || of.parts.isUnobserved) return;
  const spent = probe.buckets.reduce((sum, each) => sum + each.stats().capacity - each.stats().tokens, 0);
  const attempts = probe.events.filter(({ type }) => type === 'attempt').length;
  const hedges = probe.events.filter((event) => event.type === 'hedge' && event.sent).length;
  if (spent > cost * (attempts + hedges) + 0.01)
    yield { rule: 'tokens', detail: `${spent} tokens spent for ${attempts} attempts and ${hedges} hedges` };
  const hops = of.parts.redirects === 'above' ? seen : seen.filter(({ hop }) => hop === 0);
  if (spent < cost * hops.length - 0.01)
    yield { rule: 'tokens', detail: `${spent} tokens spent for ${hops.length} requests` };
}

/** What undici 8 leaves of a body that fails early, and node-fetch of one that is given up, whoever gives it up. */
const OF_CLIENTS = new Set(['abortSignalFollowers', 'abortAndFinalize']);

/** The fetch adapter of axios leaves the listener of a streamed response that has no body. */
function isStreamWithoutBody({ client, parts, calls }: Case, number: number): boolean {
  const { method, script } = calls[number] as CallPlan;
  const hasNone = method === 'HEAD' || script.some((step) => step.do === 'no-content');
  return client === 'axios-fetch' && parts.responseType === 'stream' && hasNone;
}

/** The fetch of undici 7, which is that of Node 24, leaves one listener for each request, until that is collected. */
function listenersOfBare({ of, probe, seen }: Played, number: number): number {
  const isUndici7 = of.client === 'fetch' || (of.client === 'dispatcher-fetch' && of.parts.isUndici7);
  if (!isUndici7 && !isStreamWithoutBody(of, number)) return 0;
  const { isUnobserved, maxRetries, hedge } = of.parts;
  const attempts = isUnobserved
    ? (maxRetries + 1) * (1 + (hedge?.max ?? 0))
    : probe.events.filter(({ type }) => type === 'attempt' || type === 'hedge').length;
  return Math.max(1, attempts, seen.filter(({ call }) => call === number).length);
}

/** Slots, waiters, timers, listeners and connections are back where they were. */
export function* judgeLimits(played: Played): Iterable<Complaint> {
  const { probe, results, openConnections } = played;
  for (const each of probe.limits) {
    const { inUse, waiting } = each.stats();
    if (inUse > 0) yield { rule: 'slots', detail: `${inUse} slots are held` };
    if (waiting > 0) yield { rule: 'waiting', detail: `${waiting} wait for slots` };
  }
  if (probe.timers > 0) yield { rule: 'timers', detail: `${probe.timers} timers are left` };
  if (openConnections > 0) yield { rule: 'sockets', detail: `${openConnections} connections are left` };
  for (const [number, { controller }] of results.entries()) {
    const listeners = getEventListeners(controller.signal, 'abort');
    const left = listeners.filter(({ name }) => !OF_CLIENTS.has(name)).length;
    if (left > listenersOfBare(played, number))
      yield { rule: 'listeners', detail: `call ${number}: ${left} listeners are left` };
  }
  yield* judgeTokens(played);
}
