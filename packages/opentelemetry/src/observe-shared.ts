import type { BucketStats } from '@ebb/core';
import type { Attributes, BatchObservableResult, Observable } from '@opentelemetry/api';
import type { Make } from './instruments.ts';

/** The modes of a bucket that processes share. */
const MODES = ['shared', 'local', 'open', 'closed'];

/** The stats of a bucket. Only a bucket that processes share has `mode` and the fields after it. */
export interface ObservableStats extends Partial<BucketStats> {
  readonly mode?: string;
  readonly share?: number;
  readonly processes?: number;
  readonly leased?: number;
  readonly calls?: number;
  readonly callMs?: number;
  readonly losses?: Readonly<Record<string, number>>;
  readonly recoveries?: number;
}

/** Writes the values that there are. */
export function observeAll(
  result: BatchObservableResult,
  of: Attributes,
  values: readonly (readonly [instrument: Observable, value: number | undefined])[],
): void {
  for (const [instrument, value] of values) if (value !== undefined) result.observe(instrument, value, of);
}

/** Writes what a bucket of @ebb/valkey has beside one in memory. */
export function writeShared(
  of: Attributes,
  { gauge, counter }: Make,
): (result: BatchObservableResult, stats: ObservableStats) => void {
  const mode = gauge('bucket.mode', '{bucket}', 'Of a shared bucket: 1 for its mode now, 0 for the others.');
  const share = gauge('bucket.share', '1', 'The part of the quota that this process has without the store.');
  const processes = gauge('bucket.processes', '{process}', 'How many processes share the bucket.');
  const leased = gauge('bucket.leased', '{token}', 'Tokens that this process has leased and not spent.');
  const calls = counter('bucket.calls', '{call}', 'Calls of this process to the store.');
  const time = counter('bucket.call.time', 's', 'How long these calls took together.');
  const losses = counter('bucket.losses', '{loss}', 'How often this process has lost the store.');
  const recoveries = counter('bucket.recoveries', '{recovery}', 'How often the store was back.');
  return (result, stats) => {
    if (stats.mode === undefined) return;
    for (const each of MODES) {
      result.observe(mode, each === stats.mode ? 1 : 0, { ...of, 'ebb.bucket.mode': each });
    }
    const { callMs } = stats;
    observeAll(result, of, [
      [share, stats.share],
      [processes, stats.processes],
      [leased, stats.leased],
      [calls, stats.calls],
      [time, callMs === undefined ? undefined : callMs / 1000],
      [recoveries, stats.recoveries],
    ]);
    for (const [reason, times] of Object.entries(stats.losses ?? {})) {
      result.observe(losses, times, { ...of, 'ebb.bucket.loss.reason': reason });
    }
  };
}
