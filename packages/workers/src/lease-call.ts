import { check } from '@ebb/core/bucket';

/** The message of an isolate to the object that holds the bucket. Amounts are tokens, times are durations in milliseconds. */
export interface LeaseCall {
  /** Names the isolate. */
  readonly caller: string;
  readonly refillPerSecond: number;
  readonly capacity: number;
  /** Leased in any case, unless these tokens come later than `withinMs`. 0 for none. */
  readonly least: number;
  /** How long the first request may wait for `least`; left out for any time. */
  readonly withinMs?: number;
  /** The most to lease. */
  readonly most: number;
  /** How far ahead the isolate leases. */
  readonly aheadMs: number;
  /** Tokens to charge that were spent without a lease. */
  readonly spent: number;
  /** Pauses the bucket; 0 ends a pause. */
  readonly pauseMs?: number;
}

/** The answer of the object. */
export interface LeaseReply {
  /** Tokens leased. They come in at the rate of the bucket; the last of them in `emptyInMs`. */
  readonly granted: number;
  /** When the bucket is empty, from now; below 0 if it was empty before. */
  readonly emptyInMs: number;
  /** If `least` was refused: when it comes. */
  readonly waitMs: number;
  /** The rest of a pause. */
  readonly pausedMs: number;
  /** How many isolates have called within the last ten seconds. */
  readonly callers: number;
}

const CALL = ['refillPerSecond', 'capacity', 'least', 'most', 'aheadMs', 'spent'] as const;
const REPLY = ['granted', 'emptyInMs', 'waitMs', 'pausedMs', 'callers'] as const;

const fields = (value: unknown): Readonly<Record<string, unknown>> => Object(value);

/** @throws TypeError, RangeError for anything else than a {@link LeaseCall} */
export function readCall(value: unknown): LeaseCall {
  const call = fields(value);
  for (const name of CALL) check.notNegative(`BucketObject: ${name}`, call[name]);
  for (const name of ['withinMs', 'pauseMs'])
    if (call[name] !== undefined) check.notNegative(`BucketObject: ${name}`, call[name]);
  check.refillRate('BucketObject: refillPerSecond', call.refillPerSecond);
  check.capacity('BucketObject: capacity', call.capacity);
  return { ...(call as unknown as LeaseCall), caller: String(call.caller) };
}

/** @throws TypeError, RangeError for anything else than a {@link LeaseReply} */
export function readReply(value: unknown): LeaseReply {
  const reply = fields(value);
  for (const name of REPLY) check.finite(`the reply of the object: ${name}`, reply[name]);
  return reply as unknown as LeaseReply;
}
