import { type Attempt, attemptsOf, createPolicy, type EbbEvent } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import type { VirtualClock } from '@ebb/core/testing';
import type { AdapterUnderTest, Got } from './adapter.ts';
import { orderFault } from './grammar.ts';
import type { Limits, Row } from './row.ts';

/** The result of a row on the client's side. */
export interface Run {
  readonly delays: readonly number[];
  readonly waits: readonly number[];
  readonly reason: string | undefined;
  readonly got: Got | undefined;
  readonly thrown: string | undefined;
  /** The error that the call rejected with. */
  readonly error: unknown;
  /** How many attempts there were, by the events, or without them by the history. */
  readonly attempts: number;
  /** The result of `attemptsOf`; `undefined` if this client has no history of its responses. */
  readonly history: readonly Attempt[] | undefined;
  /** How many timers of the clock are left at the end; any is a leak. */
  readonly pending: number;
  /** How many slots of the call are still held; any is a leak. */
  readonly held: number;
  /** The fault in the order of the events; `undefined` if there is none. */
  readonly orderFault: string | undefined;
}

/** When every row starts; the dates in the table are relative to it. */
export const NOW: number = Date.UTC(2026, 10, 21, 12, 0, 0);

const ENOUGH = new Error('enough');

/** A signal as another library makes it: it is not of the runtime's class. */
class ForeignSignal {
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get aborted(): boolean {
    return this.#signal.aborted;
  }

  get reason(): unknown {
    return this.#signal.reason;
  }

  addEventListener(...given: Parameters<AbortSignal['addEventListener']>): void {
    this.#signal.addEventListener(...given);
  }

  removeEventListener(...given: Parameters<AbortSignal['removeEventListener']>): void {
    this.#signal.removeEventListener(...given);
  }
}

/** To be called when the server hangs: lets the attempt time out, or aborts. */
export function hung(row: Row, clock: VirtualClock, caller: AbortController): void {
  const { abort, policy } = row;
  if (abort === 'attempt') caller.abort(ENOUGH);
  else if (!endsInBody(row)) clock.tick(policy?.attemptTimeoutMs ?? policy?.totalTimeoutMs ?? 0);
}

/** Whether the total timeout ends the body of a response: then time is advanced once the caller has that. */
function endsInBody({ reason, thrown }: Row): boolean {
  return reason === 'success' && thrown === 'a timeout';
}

/** Whether the script hangs until {@link hung} is called. */
export function hangs({ abort, policy }: Row): boolean {
  const { attemptTimeoutMs, totalTimeoutMs } = policy ?? {};
  return abort === 'attempt' || (attemptTimeoutMs ?? totalTimeoutMs) !== undefined;
}

/** A client may reject with an error of its own, and have the one of ebb as its cause. */
function thrownBy(error: unknown): string {
  const { name, cause } = error as Error;
  if (error === ENOUGH || cause === ENOUGH) return 'the reason';
  if ([error, cause].some((one) => (one as Error | undefined)?.message === ENOUGH.message)) {
    return 'a copy of the reason';
  }
  const { name: inner = '' } = (cause as Error | undefined) ?? {};
  return inner === 'NotSentError' || inner === 'HookError' ? inner : name;
}

function historyOf(error: unknown): readonly Attempt[] | undefined {
  const [own, cause] = [error, (error as Error).cause].map(attemptsOf);
  return [own, cause].find((history) => history?.length);
}

async function untilWaiting({ bucket, concurrency }: Limits, isOver: () => boolean): Promise<void> {
  const count = (): number => (bucket?.stats().waiting ?? 0) + (concurrency?.stats().waiting ?? 0);
  while (count() === 0 && !isOver()) await nextTurn();
}

async function untilLooking({ isLooking }: Limits, isOver: () => boolean): Promise<void> {
  while (isLooking?.() === false && !isOver()) await nextTurn();
}

/** Longer bodies are compared by their length, and not printed. */
const LONGEST_BODY = 10_000;

function shorten(got: Got | undefined): Got | undefined {
  if (got === undefined || got.body.length <= LONGEST_BODY) return got;
  return { ...got, body: `${got.body.length} characters` };
}

/** Enough turns for a client to end a connection that it gave up, and to notice the end of a body. */
const SOME_TURNS = 20;

function isAgain(event: EbbEvent): event is Extract<EbbEvent, { readonly type: 'retry' | 'resume' }> {
  return event.type === 'retry' || event.type === 'resume';
}

/** Whether a row can be played without an observer, whose events say when to advance time or to abort. */
export function isUnobservable({ abort, delays, fails, policy = {}, stops, waits }: Row): boolean {
  const { attemptTimeoutMs, beforeAttempt, totalTimeoutMs, plugins } = policy;
  const isTimed = (attemptTimeoutMs ?? totalTimeoutMs ?? waits ?? abort ?? fails ?? stops) !== undefined;
  // Headers of a hook need origins, and origins are an option that keeps a request from being sent at once.
  return !isTimed && delays.length === 0 && (beforeAttempt ?? plugins) === undefined;
}

/**
 * Sends the row's request, and advances virtual time by each delay.
 *
 * @param isObserved false for a policy without `onEvent`, of which a request is sent at once if nothing else has to be done for it
 */
export async function play(
  row: Row,
  makeClient: AdapterUnderTest['client'],
  clock: VirtualClock,
  url: string,
  caller: AbortController,
  isObserved: boolean,
): Promise<Run> {
  const { abort, fails, isForeign, isReused, policy, stops } = row;
  const headers = { ...row.request?.headers };
  const request = isReused ? { ...row.request, headers } : (row.request ?? {});
  const abortAt = abort === 'body' ? 'end' : abort;
  const events: EbbEvent[] = [];
  const onEvent = (event: EbbEvent): void => {
    events.push(event);
    if (event.type !== 'attempt' && event.type === abortAt) void nextTurn().then(() => caller.abort(ENOUGH));
    else if (event.type === 'end' && endsInBody(row))
      void nextTurn().then(() => clock.tick(policy?.totalTimeoutMs ?? 0));
    else if (isAgain(event)) void nextTurn().then(() => clock.advance(event.delayMs));
  };
  const limits = row.limits?.(clock) ?? {};
  const { isLooking: _, ...parts } = limits;
  const inUse = (): number => limits.concurrency?.stats().inUse ?? 0;
  const before = inUse();
  const stopSignal = stops && caller.signal;
  const client = makeClient(
    createPolicy({
      random: () => 0,
      ...(isObserved && { trustedOrigins: [new URL(url).origin], onEvent }),
      clock,
      stopSignal,
      ...policy,
      ...parts,
    }),
  );
  let fail: (error: unknown) => void = () => undefined;
  const failing = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failing.catch(() => undefined);
  let isOver = false;
  const wait = async (): Promise<void> => {
    for (const waitMs of row.waits ?? []) {
      await untilWaiting(limits, () => isOver);
      await clock.advance(waitMs);
    }
    if (row.lookMs !== undefined) {
      await untilLooking(limits, () => isOver);
      await clock.advance(row.lookMs);
    }
    const phase = abort ?? fails;
    if (phase === 'limits') await untilWaiting(limits, () => isOver);
    else if (phase === 'look' || phase === 'hook') await untilLooking(limits, () => isOver);
    else return;
    if (fails) fail(ENOUGH);
    else caller.abort(ENOUGH);
  };
  if (abort === 'before') caller.abort(ENOUGH);
  const waits = wait();
  let error: unknown;
  const own = abort === undefined || stops ? undefined : caller.signal;
  const signal = isForeign ? (new ForeignSignal(caller.signal) as unknown as AbortSignal) : own;
  const sent = client.send(url, fails ? { ...request, failing } : request, signal);
  if (isReused) for (const name of Object.keys(headers)) headers[name] = 'of another';
  const got = await sent.catch((thrown: unknown) => {
    error = thrown;
    return undefined;
  });
  isOver = true;
  await waits;
  const isBusy = (): boolean => inUse() > before || clock.pending > 0;
  for (let turn = 0; turn < SOME_TURNS && isBusy(); turn += 1) await nextTurn();
  await client.close?.();
  // Not always the last event: the events of a resumed download come after the `end`.
  const end = events.findLast(({ type }) => type === 'end');
  const history = (got === undefined ? historyOf(error) : undefined) ?? client.history?.();
  const seen = isObserved
    ? {
        reason: end?.type === 'end' ? end.reason : undefined,
        attempts: events.filter(({ type }) => type === 'attempt').length,
        orderFault: orderFault(events),
      }
    : {
        reason: history?.at(-1)?.reason ?? row.reason,
        attempts: history?.length ?? 0,
        orderFault: undefined,
      };
  return {
    ...seen,
    delays: events.flatMap((event) => (isAgain(event) ? [event.delayMs] : [])),
    waits: events.flatMap((event) => (event.type === 'wait' ? [event.waitedMs] : [])),
    got: shorten(got),
    thrown: got === undefined ? thrownBy(error) : undefined,
    error,
    history,
    pending: clock.pending,
    held: inUse() - before,
  };
}
