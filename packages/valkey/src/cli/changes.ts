import type { Quota } from '@ebb/core/bucket';
import type { BucketState, Operation, UnitState } from '../operator-call.ts';
import { checkFill } from '../options.ts';
import { unitNames } from '../store-call.ts';
import { type Arguments, UsageError } from './arguments.ts';
import { StoreError } from './connection.ts';
import { amount, seconds, sharesOf, unitName } from './show.ts';

/** The operation of a command, and its description for the operator. */
export interface Change {
  readonly operation: Operation;
  /** A line for each thing that changes; none if nothing does. */
  readonly diff: readonly string[];
}

/** @throws UsageError, StoreError if the command does not fit the bucket */
export function changeOf(asked: Arguments, state: BucketState): Change {
  if (asked.command === 'set') return setLimits(asked, state);
  return asked.command === 'leave' ? leave(asked, state) : reset(state);
}

function unitOf({ unit }: Arguments, { units }: BucketState): UnitState {
  const [first] = units;
  if (unit === undefined && units.length === 1 && first !== undefined) return first;
  const found = units.find(({ name }) => name !== undefined && name === unit);
  if (found !== undefined) return found;
  const names = units.map(unitName).join(', ');
  if (unit === undefined) throw new UsageError(`set takes --unit: the bucket has ${names}`);
  throw new UsageError(`there is no unit ${unit}; the bucket has ${names}`);
}

function setLimits(asked: Arguments, state: BucketState): Change {
  const unit = unitOf(asked, state);
  const { name, refillPerSecond, capacity } = unit;
  const to: Quota = { refillPerSecond, capacity, ...asked.limit };
  try {
    checkFill('--', to);
  } catch (error) {
    throw new UsageError((error as Error).message.replace('--refillPerSecond', '--rate'));
  }
  const line = (what: string, from: number, into: number): string[] =>
    from === into ? [] : [`${unitName(unit)}: ${what} ${amount(from)} → ${amount(into)}`];
  return {
    operation: {
      ...{ type: 'set', version: asked.ifVersion ?? state.version },
      to: { names: unitNames(name === undefined ? undefined : [name]), limits: [to] },
    },
    diff: [
      ...line('rate/s', refillPerSecond, to.refillPerSecond),
      ...line('capacity', capacity, to.capacity),
    ],
  };
}

function leave(asked: Arguments, state: BucketState): Change {
  const found = state.processes.find(({ name }) => name === asked.process);
  if (found === undefined) {
    const names = state.processes.map(({ name }) => name).join(', ') || 'none';
    throw new StoreError(`there is no process ${asked.process}; there are ${names}`);
  }
  const without = { ...state, processes: state.processes.filter((other) => other !== found) };
  return {
    operation: { type: 'leave', process: asked.process },
    diff: [
      `${found.name}: a share that expires in ${seconds(found.expiresInMs)} → none`,
      `shares in all: ${sharesOf(state)} → ${sharesOf(without)}`,
    ],
  };
}

function reset({ units, pausedMs }: BucketState): Change {
  const diff = units.map((unit) => `${unitName(unit)}: tokens ${amount(unit.tokens)} → 0`);
  const paused = pausedMs > 0 ? [`a pause of ${seconds(pausedMs)} → none`] : [];
  return { operation: { type: 'reset' }, diff: [...diff, ...paused] };
}
