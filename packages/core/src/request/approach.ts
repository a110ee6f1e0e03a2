import type { AcquireOptions, ConcurrencyLimit } from '../limits/contracts.ts';
import type { Admission, Lack } from './admission.ts';
import { knowsAsyncContext, withSlots } from './layers.ts';
import type { Patience } from './patience.ts';
import type { MakeBody, Preparation } from './preparation.ts';
import { areAllHeld } from './user-code-holders.ts';

/** After so long a wait for slot and tokens, signatures and deadlines in the headers are out of date, in milliseconds. */
const AGED_MS = 10_000;

/** After so long, the tokens that an attempt holds count for nothing, in milliseconds: several would be sent at once. */
const STALE_MS = 10;

/** What was done for an attempt before it turned out that it has to wait. */
export interface Begun {
  /** What was lacking. */
  readonly lack?: Lack | undefined;
  /** The hooks, if they have been asked. */
  readonly dressing?: PromiseLike<void> | undefined;
  /** True if the hooks have answered. */
  readonly isDressed: boolean;
}

/** An attempt on its way, after its delay. */
export interface Ahead {
  readonly preparation: Preparation;
  /** `undefined` without a bucket and without a concurrency limit. */
  readonly admission: Admission | undefined;
  /** The limits whose slots the calls around it hold. */
  readonly slotsAround: readonly ConcurrencyLimit[];
  readonly makeBody: MakeBody | undefined;
  readonly patience: Patience;
  readonly signal: AbortSignal | undefined;
  readonly isRetry: boolean;
  /** Asks the hooks for headers; `undefined` without hooks. */
  readonly dress: (() => PromiseLike<void> | undefined) | undefined;
  /** Called if the slots that it waits for may never become free. */
  onBlocked(): void;
}

/**
 * Takes an attempt as far as it can be sent: the hooks, the slot and the tokens, the body. User code runs while nothing is held,
 * but for a body, which is made with the slot.
 *
 * @throws the signal's own reason, OutOfTime, ThrottledError or HookError
 */
export async function approach(ahead: Ahead, { lack, dressing, isDressed }: Begun): Promise<void> {
  const { admission, dress, makeBody, preparation, signal } = ahead;
  if (dress !== undefined && !isDressed) await preparation.settle(() => dressing ?? dress(), signal);
  if (admission !== undefined) await admit(ahead, admission, lack);
  if (makeBody !== undefined) await makeBodyFor(ahead, makeBody);
}

function acquireOptionsOf({ patience, signal, isRetry }: Ahead): (waitedMs: number) => AcquireOptions {
  return (waitedMs) => patience.acquireOptions(signal, isRetry, waitedMs);
}

/** The limits whose slots the request and the calls around it hold. */
function slotsOf({ admission, slotsAround }: Ahead): readonly ConcurrencyLimit[] {
  return admission?.limit === undefined ? slotsAround : [...slotsAround, admission.limit];
}

/** Takes slot and tokens. If they took long, the hooks make the headers anew. */
async function admit(ahead: Ahead, admission: Admission, lack: Lack | undefined): Promise<void> {
  const { dress, preparation, signal } = ahead;
  const missing = lack ?? admission.take();
  if (missing === undefined) return;
  const { wanted } = admission;
  // Where the runtime knows who makes a request, one of such user code does not wait.
  if (missing === 'slot' && !knowsAsyncContext() && wanted && areAllHeld(wanted)) ahead.onBlocked();
  const options = acquireOptionsOf(ahead);
  await admission.wait(options, missing);
  if (admission.waitedMs <= AGED_MS || dress === undefined) return;
  // Without async context a request of the hook would wait for this slot.
  if (!knowsAsyncContext()) admission.freeSlot();
  // What it holds does not go back before that: those behind it would get it, and all hooks would be called at once.
  const tookMs = await preparation.settle(() => withSlots(slotsOf(ahead), dress), signal);
  if (tookMs > STALE_MS) await admission.renew(tookMs, options);
  else await admission.wait(options);
}

/** Has the body made with the slot held. Tokens that it outlasts are changed for new ones. */
async function makeBodyFor(ahead: Ahead, makeBody: MakeBody): Promise<void> {
  const { admission, preparation, signal } = ahead;
  const tookMs = await preparation.makeBody(makeBody, signal, admission?.limit, slotsOf(ahead));
  if (admission === undefined || tookMs <= STALE_MS) return;
  if (signal?.aborted) throw signal.reason;
  await admission.renew(tookMs, acquireOptionsOf(ahead));
}
