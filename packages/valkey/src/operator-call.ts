import type { Quota } from '@ebb/core/bucket';
import { OPERATOR_SCRIPT } from './operator-script.ts';
import { type Bounds, limitsText, readNumbers } from './store-call.ts';
import type { StoreClient } from './store-client.ts';
import { InvalidReply } from './store-error.ts';

// The protocol of the operator's script: its arguments and its reply.

/** A unit of a bucket in the store. */
export interface UnitState extends Quota {
  /** `undefined` if the bucket has one unit without a name. */
  readonly name: string | undefined;
  /** Below 0: a debt, or tokens that are leased in advance. */
  readonly tokens: number;
}

/** A part of the quota that a process has without the store. */
export interface ShareState {
  /** From 0 to 1. */
  readonly share: number;
  readonly expiresInMs: number;
}

/** A bucket as the store has it. Durations are in milliseconds from now. */
export interface BucketState {
  /** The version of the limits, which rises with each change. */
  readonly version: number;
  readonly units: readonly UnitState[];
  /**
   * The limits that a process declared last, by the name of its units. If `units` has other limits, an operator or
   * `setLimits` has set them.
   */
  readonly declared: readonly (Quota & { readonly name: string | undefined })[];
  readonly processes: readonly (ShareState & { readonly name: string })[];
  /** Shares from before the store lost the bucket, whose processes have not come again yet. */
  readonly missing: ShareState & { readonly processes: number };
  /** 0 if it is not paused. */
  readonly pausedMs: number;
  /** How long the bucket stays closed after an outage; 0 if it is open. */
  readonly closedMs: number;
  readonly writtenMsAgo: number;
  /** How far the bucket's time is ahead of the server's clock. */
  readonly aheadMs: number;
  /** How long the store keeps the key without another call; `undefined` if the call did not ask. */
  readonly expiresInMs: number | undefined;
  /** The length of the value. */
  readonly bytes: number;
}

/** The outcome of an operation. */
export type OperationResult =
  | { readonly type: 'done'; readonly state: BucketState }
  /** The store has no bucket. */
  | { readonly type: 'none' }
  /** Another change of the limits came before. */
  | { readonly type: 'changed'; readonly version: number }
  /** The unit or the process is not known. */
  | { readonly type: 'unknown' };

/** Limits to be set: the names of the units as the script reads them, and the limits in their order. */
interface NewLimits {
  readonly names: string;
  readonly limits: readonly Quota[];
}

/** The arguments that make a bucket if the store has none. */
interface InitialLimits extends NewLimits {
  /** The limits that the program has given. */
  readonly declared: string;
  /** The version of the bucket's limits, higher than all known versions. */
  readonly version: number;
}

/** An operation of an operator on a bucket. */
export type Operation =
  | { readonly type: 'inspect' }
  | { readonly type: 'set'; readonly version: number; readonly to: NewLimits; readonly made?: InitialLimits }
  | { readonly type: 'leave'; readonly process: string }
  /** Every unit is empty from now on. */
  | { readonly type: 'reset' };

function argumentsOf(operation: Operation): string[] {
  switch (operation.type) {
    case 'set': {
      const { version, to, made } = operation;
      const more =
        made === undefined ? [] : [made.declared, made.names, limitsText(made.limits), `${made.version}`];
      return ['set', `${version}`, to.names, limitsText(to.limits), ...more];
    }
    case 'leave':
      return ['leave', operation.process];
    default:
      return [operation.type];
  }
}

/** Sends the script in full: operations are rare, and need no right to more commands. */
export async function operate(
  client: Pick<StoreClient, 'eval'>,
  key: string,
  operation: Operation,
): Promise<OperationResult> {
  return parse(await client.eval(OPERATOR_SCRIPT, key, argumentsOf(operation)));
}

const ANY: Bounds = [Number.MIN_SAFE_INTEGER];
const WHOLE: Bounds = [0];
const UNIT_PARTS = 4;
const RECORD_PARTS = 3;
const TYPES = ['none', 'done', 'changed', 'unknown'] as const;
/** The status, the time, what holds until when, versions and sizes. */
const HEAD: readonly Bounds[] = [WHOLE, WHOLE, ANY, WHOLE, WHOLE, ANY, ANY, [1], [-1], WHOLE, [1, 255]];

/** @throws InvalidReply if the script cannot have replied so */
function parse(reply: unknown): OperationResult {
  const [status = 0] = readNumbers(reply, [[0, 3]]);
  const type = TYPES[status] as OperationResult['type'];
  if (type === 'changed') return { type, version: readNumbers(reply, [WHOLE, WHOLE])[1] as number };
  if (type !== 'done') return { type };
  const [
    ,
    now = 0,
    shift = 0,
    at = 0,
    ,
    paused = 0,
    resumed = 0,
    version = 0,
    expires = 0,
    bytes = 0,
    n = 0,
  ] = readNumbers(reply, HEAD);
  const parts = (reply as unknown[]).slice(HEAD.length);
  const inMs = (us: number): number => Math.max(0, us - now) / 1_000;
  const units = rows(parts.splice(0, UNIT_PARTS * n), UNIT_PARTS).map(
    ([name, rate, capacity, empty]): UnitState => {
      const limit = quotaOf([rate, capacity], reply);
      const cameIn = ((now - numberOf(empty, reply)) / 1e6) * limit.refillPerSecond;
      return { name: nameOf(String(name)), ...limit, tokens: Math.min(limit.capacity, cameIn) };
    },
  );
  const [declared, ghosts, ghost, ghostEnds] = parts.splice(0, 4);
  const share = (millionths: unknown, ends: unknown): ShareState => ({
    share: numberOf(millionths, reply) / 1e6,
    expiresInMs: inMs(numberOf(ends, reply)),
  });
  const state: BucketState = {
    ...{ version, units, declared: declaredIn(String(declared), reply) },
    processes: rows(parts, RECORD_PARTS)
      .map(([name, part, ends]) => ({ name: String(name), ...share(part, ends) }))
      .filter(({ expiresInMs }) => expiresInMs > 0),
    missing: { processes: numberOf(ghosts, reply), ...share(ghost, ghosts === 0 ? 0 : ghostEnds) },
    ...{ pausedMs: inMs(paused), closedMs: inMs(resumed), writtenMsAgo: (now - at) / 1_000 },
    ...{ aheadMs: shift / 1_000, expiresInMs: expires < 0 ? undefined : expires, bytes },
  };
  return { type, state };
}

const nameOf = (text: string): string | undefined => (text === '' ? undefined : decodeURIComponent(text));

const rows = (parts: readonly unknown[], width: number): unknown[][] =>
  Array.from({ length: Math.floor(parts.length / width) }, (_, row) =>
    parts.slice(row * width, (row + 1) * width),
  );

function numberOf(part: unknown, reply: unknown): number {
  const number = typeof part === 'number' ? part : Number.parseFloat(String(part));
  if (!Number.isFinite(number)) throw new InvalidReply(reply);
  return number;
}

const quotaOf = ([rate, capacity]: readonly unknown[], reply: unknown): Quota => ({
  refillPerSecond: numberOf(rate, reply),
  capacity: numberOf(capacity, reply) / 1e6,
});

/** The names of the units, each with a space, and then their limits. */
function declaredIn(text: string, reply: unknown): BucketState['declared'] {
  const words = text.split(' ');
  const units = Math.floor(words.length / 3);
  return rows(words.slice(units), 2).map((limit, unit) => ({
    name: nameOf(words[unit] as string),
    ...quotaOf(limit, reply),
  }));
}
