// Also runs in browsers: imports nothing from Node.
import { type Attempt, attemptsOf, createPolicy, type EbbEvent, type Policy } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import type { VirtualClock } from '@ebb/core/testing';
import type { Limits, Scenario, Sent } from './scenarios.ts';

/** What the caller of any client gets. */
export interface Got {
  readonly status: number;
  readonly body: string;
}

/** A client with ebb. Rejects as the client itself does, except that axios's errors with a response resolve. */
export interface Client {
  send(url: string, sent: Sent, signal?: AbortSignal): Promise<Got>;
  /** The history of the last response; `undefined` before it, and absent if responses of this client have none. */
  readonly history?: () => readonly Attempt[] | undefined;
  close(): Promise<void>;
}

/** The result of a scenario on the client's side. */
export interface Run {
  readonly delays: readonly number[];
  readonly waits: readonly number[];
  readonly reason: string | undefined;
  readonly got: Got | undefined;
  readonly thrown: string | undefined;
  /** How many attempts there were, by the events. */
  readonly attempts: number;
  /** What `attemptsOf` says; `undefined` if this client has no history of its responses. */
  readonly history: readonly Attempt[] | undefined;
  /** How many timers of the clock are left at the end; any is a leak. */
  readonly pending: number;
  /** How many slots of the call are still held; any is a leak. */
  readonly held: number;
}

/** When every scenario starts; the dates in the table are relative to it. */
export const NOW: number = Date.UTC(2026, 10, 21, 12, 0, 0);

const ENOUGH = new Error('enough');

/** To be called when the server hangs: lets the attempt time out, or aborts. */
export function hung({ abort, policy }: Scenario, clock: VirtualClock, caller: AbortController): void {
  if (abort === 'attempt') caller.abort(ENOUGH);
  else clock.tick(policy?.attemptTimeoutMs ?? policy?.totalTimeoutMs ?? 0);
}

/** Whether the script hangs until {@link hung} is called. */
export function hangs({ abort, policy }: Scenario): boolean {
  const { attemptTimeoutMs, totalTimeoutMs } = policy ?? {};
  return abort === 'attempt' || (attemptTimeoutMs ?? totalTimeoutMs) !== undefined;
}

/** A fetch over a dispatcher rejects with an error of its own, and has the one of ebb as its cause. */
function thrownBy(error: unknown): string {
  const { name, cause } = error as Error;
  if (error === ENOUGH || cause === ENOUGH) return 'the reason';
  if ([error, cause].some((one) => (one as Error | undefined)?.message === ENOUGH.message)) {
    return 'a copy of the reason';
  }
  return (cause as Error | undefined)?.name === 'ThrottledError' ? 'ThrottledError' : name;
}

function historyOf(error: unknown): readonly Attempt[] | undefined {
  const [own, cause] = [error, (error as Error).cause].map(attemptsOf);
  return [own, cause].find((history) => history?.length);
}

async function waiting({ bucket, concurrency }: Limits, isOver: () => boolean): Promise<void> {
  const count = () => (bucket?.stats().waiting ?? 0) + (concurrency?.stats().waiting ?? 0);
  while (count() === 0 && !isOver()) await nextTurn();
}

/** The runs of another process come through a pipe, which a process may leave before all of a long text is out. */
const LONGEST_BODY = 10_000;

function shortened(got: Got | undefined): Got | undefined {
  if (got === undefined || got.body.length <= LONGEST_BODY) return got;
  return { ...got, body: `${got.body.length} characters` };
}

/** Enough turns for a client to end a connection that it gave up. */
const SOME_TURNS = 20;

/** Sends the scenario's request, and advances virtual time by each delay. */
export async function play(
  scenario: Scenario,
  makeClient: (policy: Policy) => Client,
  clock: VirtualClock,
  url: string,
  caller: AbortController = new AbortController(),
): Promise<Run> {
  const { abort, policy, request = {}, stops } = scenario;
  const abortAt = abort === 'body' ? 'end' : abort;
  const events: EbbEvent[] = [];
  const onEvent = (event: EbbEvent): void => {
    events.push(event);
    if (event.type !== 'attempt' && event.type === abortAt) void nextTurn().then(() => caller.abort(ENOUGH));
    else if (event.type === 'retry') void nextTurn().then(() => clock.advance(event.delayMs));
  };
  const limits = scenario.limits?.(clock) ?? {};
  const inUse = (): number => limits.concurrency?.stats().inUse ?? 0;
  const before = inUse();
  const stopSignal = stops && caller.signal;
  const client = makeClient(
    createPolicy({ random: () => 0, clock, onEvent, stopSignal, ...policy, ...limits }),
  );
  let isOver = false;
  const wait = async (): Promise<void> => {
    for (const waitMs of scenario.waits ?? []) {
      await waiting(limits, () => isOver);
      await clock.advance(waitMs);
    }
    if (abort !== 'limits') return;
    await waiting(limits, () => isOver);
    caller.abort(ENOUGH);
  };
  if (abort === 'before') caller.abort(ENOUGH);
  const waits = wait();
  let thrown: string | undefined;
  let history: readonly Attempt[] | undefined;
  const got = await client
    .send(url, request, abort === undefined || stops ? undefined : caller.signal)
    .catch((error: unknown) => {
      thrown = thrownBy(error);
      history = historyOf(error);
      return undefined;
    });
  isOver = true;
  await waits;
  for (let turn = 0; turn < SOME_TURNS && inUse() > before; turn += 1) await nextTurn();
  await client.close();
  const end = events.at(-1);
  return {
    delays: events.flatMap((event) => (event.type === 'retry' ? [event.delayMs] : [])),
    waits: events.flatMap((event) => (event.type === 'throttle' ? [event.waitMs] : [])),
    reason: end?.type === 'end' ? end.reason : undefined,
    got: shortened(got),
    thrown,
    attempts: events.filter(({ type }) => type === 'attempt').length,
    history: history ?? client.history?.(),
    pending: clock.pending,
    held: inUse() - before,
  };
}
