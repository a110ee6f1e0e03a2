import { NotSentError, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import type { Settings } from './settings.ts';

/** The length of the stream, and the time between two samples of the bucket. */
export const WATCHED_MS = 8_000;
export const LOOK_MS = 50;
export const BURST_AT_MS = 2_000;

/** One request of the stream. */
export interface Passage {
  readonly arrivedAtMs: number;
  /** When it was sent; `undefined` if it was refused or still waits at the end. */
  readonly sentAtMs: number | undefined;
  readonly fate: 'conforming' | 'delayed' | 'marked' | 'refused' | 'waiting';
}

export interface Stream {
  readonly passages: readonly Passage[];
  /** Tokens in the bucket, and waiting requests, at each sample. */
  readonly tokens: readonly number[];
  readonly waiting: readonly number[];
}

/** The arrival times: an even stream, and a burst. */
function arrivals({ streamPerSecond, burst }: Settings): number[] {
  const stepMs = 1_000 / streamPerSecond;
  const evenly = Array.from({ length: Math.ceil(WATCHED_MS / stepMs) }, (_, at) => (at + 0.5) * stepMs);
  const atOnce = Array.from({ length: burst }, () => BURST_AT_MS);
  return [...evenly, ...atOnce].filter((atMs) => atMs < WATCHED_MS).sort((one, other) => one - other);
}

/** Sends the stream through a token bucket with a virtual clock. */
export async function streamOf(settings: Settings): Promise<Stream> {
  const { capacity, refillPerSecond, nonConforming } = settings;
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ capacity, refillPerSecond, nonConforming, clock });
  const passages: Passage[] = [];
  const tokens: number[] = [];
  const waiting: number[] = [];
  const passed: Promise<void>[] = [];
  const lookUntil = (untilMs: number): void => {
    for (; tokens.length * LOOK_MS <= untilMs; ) {
      clock.tick(tokens.length * LOOK_MS - clock.now());
      const stats = bucket.stats();
      tokens.push(Math.max(0, stats.tokens));
      waiting.push(stats.waiting);
    }
    clock.tick(untilMs - clock.now());
  };

  const end = new AbortController();
  for (const [at, arrivedAtMs] of arrivals(settings).entries()) {
    lookUntil(arrivedAtMs);
    const grant = bucket.acquire({ signal: end.signal });
    passed.push(
      grant.then(
        ({ grantedAtMs, waitedMs, conforming }) => {
          const fate = conforming ? (waitedMs > 0 ? 'delayed' : 'conforming') : 'marked';
          passages[at] = { arrivedAtMs, sentAtMs: grantedAtMs, fate };
        },
        (error: unknown) => {
          const fate = error instanceof NotSentError ? 'refused' : 'waiting';
          passages[at] = { arrivedAtMs, sentAtMs: undefined, fate };
        },
      ),
    );
  }
  lookUntil(WATCHED_MS);
  end.abort();
  await Promise.all(passed);
  return { passages, tokens, waiting };
}
