import { createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { rowsOf } from './rows.ts';
import type { Making, Row, Sdk } from './sdk.ts';
import type { Reply, Upstream } from './upstream.ts';
import { nextMinute, settle } from './virtual-time.ts';

/** What a request came to. */
export interface Sent {
  /** True if the caller got what the good answer says. */
  readonly isGood: boolean;
  /** The milliseconds between one request and the next. */
  readonly gapsMs: readonly number[];
  /** Why the call rejected. */
  readonly error?: string;
}

/** What ebb makes of a row, compared with the SDK alone. */
export type Verdict = 'better' | 'equal' | 'worse' | 'too early';

export interface Compared {
  readonly row: Row;
  readonly alone: Sent;
  /** With `repeatPosts: true`. */
  readonly repeated: Sent;
  readonly repeatedVerdict: Verdict;
  /** With `repeatPosts: false`. */
  readonly careful: Sent;
  readonly carefulVerdict: Verdict;
}

async function play(upstream: Upstream, sdk: Sdk, row: Row, making: Making): Promise<Sent> {
  const good = row.isStream ? sdk.goodStream : sdk.good;
  const nowMs = nextMinute();
  const answer = typeof row.answer === 'function' ? row.answer(nowMs) : row.answer;
  upstream.play([answer, good as Reply]);
  const client = sdk.client(making);
  const call = row.isStream ? client.stream : client.send;
  if (call === undefined) throw new Error(`${sdk.name} has no streams`);
  const ending = await settle(
    () => call.call(client),
    () => upstream.isHolding,
  );
  const { arrivals } = upstream;
  const gapsMs = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? at));
  return 'error' in ending
    ? { isGood: false, gapsMs, error: String(ending.error) }
    : { isGood: true, gapsMs };
}

/** True if a request was sent sooner than the answer had asked for. */
export function isEarly({ gapsMs }: Sent, { askedMs }: Row): boolean {
  return askedMs !== undefined && gapsMs.some((gapMs) => gapMs < askedMs);
}

function isRight(sent: Sent, row: Row): boolean {
  if (row.wanted === 'once') return sent.gapsMs.length === 0;
  return sent.isGood && !isEarly(sent, row);
}

function verdictOf(ebb: Sent, alone: Sent, row: Row): Verdict {
  if (isEarly(ebb, row)) return 'too early';
  const [mine, theirs] = [isRight(ebb, row), isRight(alone, row)];
  return mine === theirs ? 'equal' : mine ? 'better' : 'worse';
}

/** All rows of an SDK. */
export async function compareAll(upstream: Upstream, sdk: Sdk): Promise<Compared[]> {
  // SDKs load parts of themselves with the first request.
  upstream.play([sdk.good]);
  await settle(
    () => sdk.client({ url: upstream.url }).send(),
    () => false,
  );
  const compared: Compared[] = [];
  for (const row of rowsOf(sdk)) compared.push(await compare(upstream, sdk, row));
  return compared;
}

/** Sends the request of a row with the SDK alone, and with ebb below it. */
async function compare(upstream: Upstream, sdk: Sdk, row: Row): Promise<Compared> {
  const { url } = upstream;
  const { timeoutMs } = row;
  const withEbb = (repeatPosts: boolean): Promise<Sent> => {
    // Without jitter, which could hide that a wait is too short.
    const options = { ...sdk.preset({ repeatPosts }), attemptTimeoutMs: timeoutMs, random: () => 0 };
    const policy = createPolicy(options);
    return play(upstream, sdk, row, { url, ebb: { policy, fetch: createFetch(policy) } });
  };
  const alone = await play(upstream, sdk, row, { url, timeoutMs });
  const repeated = await withEbb(true);
  const careful = await withEbb(false);
  return {
    row,
    alone,
    repeated,
    repeatedVerdict: verdictOf(repeated, alone, row),
    careful,
    carefulVerdict: verdictOf(careful, alone, row),
  };
}
