import { type MadeBody, makeBody } from './bodies.ts';
import { abort, playCall, type Result } from './call.ts';
import type { CallPlan, Case } from './case.ts';
import { type Client, makeClient, type Sent } from './client.ts';
import { OWN_SECRET, optionsOf, pause } from './policy.ts';
import { Probe } from './probe.ts';
import type { Seen } from './record.ts';
import type { Servers } from './server.ts';

/** What was seen of a case that was played. */
export interface Played {
  readonly of: Case;
  readonly results: readonly Result[];
  readonly bodies: readonly MadeBody[];
  readonly seen: readonly Seen[];
  readonly probe: Probe;
  readonly urls: Servers['urls'];
  /** How long the case took to the end of its last call, in milliseconds. */
  readonly tookMs: number;
  /** The connections that were open after the client had been closed. */
  openConnections: number;
}

/** The longest that a case may take, in milliseconds. */
const HANGS_AFTER_MS = 5_000;

/**
 * Waits in small steps until a condition holds; false if it does not in time. The steps are counted, and not the time: a process that
 * gets no processor for seconds has done nothing in them.
 */
export async function within(mostMs: number, isSo: () => boolean, stepMs = 2): Promise<boolean> {
  for (let leftMs = mostMs; !isSo(); leftMs -= stepMs) {
    if (leftMs <= 0) return false;
    await pause(stepMs);
  }
  return true;
}

function sentOf(number: number, plan: CallPlan, body: MadeBody, url: string, result: Result): Sent {
  return {
    url: `${url}/c${number}`,
    method: plan.method,
    headers: {
      ...(plan.isIdentity && { 'accept-encoding': 'identity' }),
      ...(plan.isAuthorized && { authorization: OWN_SECRET }),
      ...(plan.isKeyed && { 'idempotency-key': `own-${number}` }),
      ...(body.type !== undefined && { 'content-type': body.type }),
    },
    body: body.value,
    givesUp: plan.caller === 'half' || plan.caller === 'cancel',
    ...(plan.isSignalled && { signal: result.controller.signal }),
  };
}

/** Aborts with the events that callers wait for. */
function followEvents(of: Case, probe: Probe, results: readonly Result[]): void {
  probe.onEvent = (event) => {
    const number = Number(/\/c(\d+)/.exec(event.request.url)?.[1] ?? -1);
    const result = results[number];
    if (result === undefined || result.plan.abortAt !== event.type) return;
    // The fetch of undici asserts, and never settles, if its signal aborts in the turn in which it dispatches: without ebb as well.
    if (of.client === 'dispatcher-fetch') setImmediate(() => abort(result));
    else abort(result);
  };
}

/** What the body factory of a call does first. */
function making({ parts }: Case, probe: Probe): () => Promise<void> | undefined {
  return () => {
    if (parts.factory === 'throws') throw new Error('fault of the factory');
    if (parts.factory === 'calls') return probe.callsItself();
    return parts.factory === 'waits' ? pause(2) : undefined;
  };
}

/** A request of user code, through the same client. */
function callingItself(client: Client, url: string, probe: Probe): () => Promise<void> {
  return async () => {
    probe.sides += 1;
    try {
      const reply = await client.send({
        url: `${url}/side`,
        method: 'GET',
        headers: {},
        body: undefined,
        givesUp: false,
      });
      await reply.all();
    } catch {
      // It may be refused by a limit as any other.
    } finally {
      probe.sides -= 1;
    }
  };
}

/** Plays a case on servers of its own. @param isBare without ebb */
export async function play(of: Case, servers: Servers, isBare = false): Promise<Played> {
  const probe = new Probe();
  servers.play(
    of.seed,
    of.calls.map(({ script }) => script),
  );
  if (of.isRefused) await servers.refuse();
  const { a, b } = servers.urls;
  // A request that comes when another case is played is known by its path.
  const urls = { a: `${a}/k${of.seed}`, b: `${b}/k${of.seed}` };
  const policy = isBare ? undefined : optionsOf(of.parts, probe, a);
  const inner = policy && innerOf(of, policy, probe);
  const client = makeClient({ of, policy, inner });
  probe.callsItself = callingItself(client, urls.a, probe);
  const results = of.calls.map((plan): Result => {
    return { plan, controller: new AbortController(), events: probe.events, started: 0, isDone: false };
  });
  followEvents(of, probe, results);
  const factory = isBare ? undefined : making(of, probe);
  const bodies = of.calls.map((plan, number) => makeBody(of, number, plan, factory));
  const startMs = performance.now();
  const playing = results.map((result, number) => {
    const body = bodies[number] as MadeBody;
    return playCall(result, client, sentOf(number, result.plan, body, urls[result.plan.to], result));
  });
  if (of.isRefused) setTimeout(() => void servers.accept(), 1);
  let isOver = false;
  const over = Promise.all(playing).then(() => {
    isOver = true;
  });
  await Promise.race([over, within(HANGS_AFTER_MS, () => isOver, 25)]);
  await servers.accept();
  const tookMs = performance.now() - startMs;
  const played: Played = { of, results, bodies, seen: servers.seen, probe, urls, tookMs, openConnections: 0 };
  await settle(played);
  // What hangs keeps its client open, also without ebb.
  await Promise.race([client.close().catch(() => undefined), pause(CLOSES_WITHIN_MS)]);
  await settle(played);
  await servers.flush();
  await within(1_500, () => servers.sockets.size === 0);
  played.openConnections = servers.sockets.size;
  servers.reset();
  return played;
}

/** So long the client of a case may take to close, in milliseconds. */
const CLOSES_WITHIN_MS = 2_000;

/** The options of a layer below: the same policy, or one of its own. */
function innerOf({ parts }: Case, policy: ReturnType<typeof optionsOf>, probe: Probe) {
  if (parts.layer === undefined) return undefined;
  if (parts.layer === 'same') return policy;
  const onEvent = (event: Probe['innerEvents'][number]): void => void probe.innerEvents.push(event);
  return { maxRetries: 2, backoff: () => 0, onEvent };
}

function giveUpUnread(results: readonly Result[]): Promise<unknown> {
  return Promise.all(
    results.map(({ plan, reply }) => plan.caller === 'nothing' && reply?.cancel().catch(() => undefined)),
  );
}

/** Gives what is left the time to end. */
async function settle({ results, probe }: Played): Promise<void> {
  await giveUpUnread(results);
  const isQuiet = (): boolean =>
    probe.sides === 0 &&
    probe.timers === 0 &&
    probe.limits.every((limit) => limit.stats().inUse === 0 && limit.stats().waiting === 0) &&
    probe.buckets.every((bucket) => bucket.stats().waiting === 0);
  // Twice: some of it begins in the turn after the end of a body.
  await within(1_500, isQuiet);
  await pause(3);
  await within(1_500, isQuiet);
}
