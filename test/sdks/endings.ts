import { createPolicy, type PolicyOptions } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import type { Client, Making, Sdk } from './sdk.ts';
import type { Answer, Reply, Upstream } from './upstream.ts';
import { settle } from './virtual-time.ts';

/** How a call over ebb ends that gets no good answer. */
export interface Ended {
  /** The names of the error and of what it was caused by, outermost first. `reason` is that of the caller's signal. */
  readonly errors: readonly string[];
  /** Virtual milliseconds from the start. */
  readonly afterMs: number;
  /** How many requests were sent until then. */
  readonly requests: number;
  /** How many were sent in the minute after that. Any shows that ebb did not learn of the end. */
  readonly later: number;
}

/** The endings of an SDK. */
export interface Endings {
  /** The caller aborts while ebb waits. */
  readonly abort?: Ended;
  /** The SDK's own timeout runs out while ebb waits. */
  readonly timeout?: Ended;
  /** Every connection breaks. */
  readonly reset: Ended;
  /** Every answer is a 429. */
  readonly refused: Ended;
  /** An error is the second event of a stream. */
  readonly lateError?: Ended;
  /** True if the connection is closed when the caller leaves the loop over a stream. */
  readonly closesLeft?: boolean;
}

/** The wait that the upstream asks for, and when the call is ended before that, in milliseconds. */
const WAIT_MS = 30_000;
const END_MS = 5_000;

const REASON = Object.assign(new Error('enough'), { name: 'reason' });

/** SDKs keep what an error was caused by under several names. */
function causeOf(error: object): unknown {
  const { cause, original, detail, lastError } = error as Record<string, unknown>;
  return cause ?? original ?? detail ?? lastError;
}

/** The name that a caller can test for. */
function nameOf(error: Error): string {
  const made = error.constructor.name;
  return error.name === 'Error' || error.name === '' ? made : error.name;
}

function namesOf(thrown: unknown): string[] {
  const names: string[] = [];
  for (let error = thrown; error instanceof Error; error = causeOf(error)) names.push(nameOf(error));
  return names;
}

async function end(
  upstream: Upstream,
  sdk: Sdk,
  answer: Answer,
  options: PolicyOptions,
  making: Partial<Making>,
  signal?: AbortSignal,
  call = (client: Client): Promise<unknown> | undefined => client.send(signal),
): Promise<Ended> {
  upstream.play([answer]);
  const startedAt = Date.now();
  const policy = createPolicy({ ...sdk.preset({ repeatPosts: true }), random: () => 0.5, ...options });
  const ebb = { policy, fetch: createFetch(policy) };
  const client = sdk.client({ url: upstream.url, ebb, ...making });
  const ending = await settle(
    async () => call(client),
    () => false,
  );
  const requests = upstream.arrivals.length;
  const afterMs = Date.now() - startedAt;
  await settle(
    () => new Promise((resolve) => setTimeout(resolve, 60_000)),
    () => false,
  );
  const errors = 'error' in ending ? namesOf(ending.error) : ['none'];
  return { errors, afterMs, requests, later: upstream.arrivals.length - requests };
}

/** Lets calls of an SDK over ebb fail in several ways. */
export async function endingsOf(upstream: Upstream, sdk: Sdk): Promise<Endings> {
  const refusal = (headers: Record<string, string>): Answer => ({
    status: 429,
    headers,
    body: sdk.error(429),
  });
  const slow = refusal({ 'retry-after': String(WAIT_MS / 1000) });
  const run = (answer: Answer, options: PolicyOptions, making: Partial<Making> = {}, signal?: AbortSignal) =>
    end(upstream, sdk, answer, options, making, signal);

  const controller = new AbortController();
  if (sdk.takesSignal) setTimeout(() => controller.abort(REASON), END_MS);
  const abort = sdk.takesSignal ? await run(slow, {}, {}, controller.signal) : undefined;
  const timeout = sdk.hasTimeout ? await run(slow, {}, { timeoutMs: END_MS }) : undefined;
  const reset = await run('reset', { maxRetries: 1 });
  const refused = await run(refusal({ 'retry-after': '1' }), { maxRetries: 1 });
  const streams = await streamEndings(upstream, sdk);
  return { ...(abort && { abort }), ...(timeout && { timeout }), reset, refused, ...streams };
}

/** The first event of a stream, and what follows it in the place of the rest. */
function startOf({ goodStream }: Sdk, next: string): Reply {
  const [first = ''] = goodStream?.body.split('\n\n') ?? [];
  return { ...(goodStream as Reply), body: `${first}\n\n${next}` };
}

async function streamEndings(upstream: Upstream, sdk: Sdk): Promise<Partial<Endings>> {
  const row = sdk.rows.find(({ name }) => name === 'a stream that starts with an error');
  if (row === undefined) return {};
  const answer = startOf(sdk, (row.answer as Reply).body);
  const lateError = await end(upstream, sdk, answer, {}, {}, undefined, (client) => client.stream?.());
  await end(upstream, sdk, { ...startOf(sdk, ''), isOpen: true }, {}, {}, undefined, (client) =>
    client.leave?.(),
  );
  return { lateError, closesLeft: upstream.isLeft };
}
