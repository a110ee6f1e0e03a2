import { checkOptions, oneOf } from '../../base/check.ts';
import type { CloseOptions } from '../contracts.ts';

const CHECKS = { waiting: oneOf('reject', 'drain') };

/**
 * Checks the options of `close`, and returns its `waiting`.
 * @throws TypeError, RangeError for a wrong option
 */
export function waitingAtClose(options: CloseOptions = {}): 'reject' | 'drain' {
  checkOptions('close', options, CHECKS);
  return options.waiting ?? 'reject';
}
