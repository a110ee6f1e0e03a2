import { oneOf } from '../../base/check.ts';
import { type OptionTable, readOptions } from '../../base/options.ts';
import type { CloseOptions } from '../contracts.ts';

const CLOSE_OPTIONS: OptionTable<CloseOptions> = {
  waiting: { check: oneOf('reject', 'drain'), default: 'reject' },
};

/**
 * Validates the options of `close`, and returns its `waiting`.
 *
 * @throws TypeError, RangeError for a wrong option
 */
export function waitingAtClose(options: CloseOptions = {}): 'reject' | 'drain' {
  return readOptions('close', options, CLOSE_OPTIONS).waiting;
}
