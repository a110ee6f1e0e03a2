import type { CallPlan } from './case.ts';
import type { Client, Sent } from './client.ts';
import { pause } from './policy.ts';
import type { Reply } from './reply.ts';

/** How long a tick is, in milliseconds, on a machine that has time. */
export const TICK_MS = 10;
let ticks = 0;
setInterval(() => {
  ticks += 1;
}, TICK_MS).unref();

/** How a call ended. */
export interface Result {
  readonly plan: CallPlan;
  reply?: Reply;
  /** True if there is an error, which may be `undefined`. */
  isFailed?: true;
  error?: unknown;
  /** True if the error came after the reply. */
  isOfBody?: true;
  /** What the caller has read. */
  bytes?: Buffer;
  /** What a second reader has read. */
  cloned?: Buffer;
  /** True if it has read the body to its end, without an error. */
  isWhole?: true;
  /** When it began, in ticks. */
  started: number;
  /** When there was a reply or an error. */
  settled?: number;
  /** When the caller aborted. */
  aborted?: number;
  /** How many events there were before that. */
  eventsBefore?: number;
  /** Those of the case. */
  readonly events: readonly unknown[];
  controller: AbortController;
  isDone: boolean;
}

function reasonOf({ abortReason }: CallPlan): unknown {
  if (abortReason === 'null') return null;
  if (abortReason === 'text') return 'enough';
  if (abortReason === 'error') return new Error('enough');
  return abortReason === 'timeout' ? new DOMException('late', 'TimeoutError') : undefined;
}

export function abort(result: Result): void {
  if (result.aborted !== undefined) return;
  result.aborted = ticks;
  result.eventsBefore = result.events.length;
  result.controller.abort(reasonOf(result.plan));
}

/** So long a caller leaves a body unread, in milliseconds. A long body would keep its slot until it is garbage-collected. */
const UNREAD_MS = 40;

/** What a caller does with its reply. */
async function read(result: Result, reply: Reply): Promise<void> {
  const { plan } = result;
  const whole = async (): Promise<void> => {
    result.bytes = await reply.all();
    result.isWhole = true;
  };
  switch (plan.caller) {
    case 'nothing':
      setTimeout(() => reply.cancel().catch(() => undefined), UNREAD_MS);
      return;
    case 'cancel':
      return reply.cancel();
    case 'half':
      result.bytes = await reply.half();
      return;
    case 'late':
      await pause(6);
      return whole();
    case 'clone': {
      const second = reply.clone?.();
      const cloned = second?.all();
      // It is waited for below.
      cloned?.catch(() => undefined);
      await whole();
      if (cloned) result.cloned = await cloned;
      return;
    }
    case 'abort':
      if (plan.abortAt === 'response') abort(result);
      if (plan.abortAt !== 'body') return whole();
      result.bytes = await reply.half(() => abort(result));
      result.isWhole = true;
      return;
    default:
      return whole();
  }
}

/** Plays one call. Never rejects. */
export async function playCall(result: Result, client: Client, sent: Sent): Promise<void> {
  const { plan } = result;
  if (plan.startMs > 0) await pause(plan.startMs);
  result.started = ticks;
  if (plan.abortAt === 'before') abort(result);
  if (typeof plan.abortAt === 'number') setTimeout(() => abort(result), plan.abortAt);
  try {
    result.reply = await client.send(sent);
    result.settled = ticks;
    await read(result, result.reply);
  } catch (error) {
    result.error = error;
    result.isFailed = true;
    result.settled ??= ticks;
    if (result.reply !== undefined) result.isOfBody = true;
  }
  result.isDone = true;
}
