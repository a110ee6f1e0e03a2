import type { Quota } from '@ebb/core/bucket';
import { micro } from './backlog.ts';

/** The names of the units as the script reads them: each ends with a space, which no name contains. */
export const unitNames = (names: readonly string[] | undefined): string =>
  (names ?? ['']).map((name) => `${encodeURIComponent(name)} `).join('');

/** The limits as the script reads them: of each unit the rate per second, and the capacity in millionths. */
export const limitsText = (limits: readonly Quota[]): string =>
  limits.map(({ refillPerSecond, capacity }) => `${refillPerSecond} ${micro(capacity)}`).join(' ');
