import { checkOptions, oneOf } from '../../base/check.ts';
import { nextTurn } from '../../base/clock.ts';
import type { CloseOptions } from '../contracts.ts';
import type { OriginGates } from './origin-gates.ts';

/** Why a closed bucket refuses. */
export const CLOSED = 'the bucket was closed';

const CHECKS = { waiting: oneOf('reject', 'drain') };

/**
 * Checks the options of `close`, and returns its `waiting`.
 * @throws TypeError, RangeError for a wrong option
 */
export function waitingAtClose(options: CloseOptions = {}): 'reject' | 'drain' {
  checkOptions('close', options, CHECKS);
  return options.waiting ?? 'reject';
}

interface Room {
  readonly line: { readonly size: number };
  idle(): Promise<void>;
}

/** Resolves when no one waits for tokens or in front of a paused origin. */
export async function noOneWaits(room: Room, gates: OriginGates): Promise<void> {
  do {
    await room.idle();
    // A request that has passed a gate asks for tokens next.
    if (await gates.idle()) await nextTurn();
  } while (room.line.size > 0 || gates.stats().waiting > 0);
}
