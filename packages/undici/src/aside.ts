import { type Call, discardMsOf, MOST_READ_AHEAD_BYTES, SetAside } from '@ebb/core/adapter';
import type { ResponseHead } from './headers.ts';

const SOON: Promise<void> = Promise.resolve();

/** Reads the rest of the body of a response that is followed by a retry. `chunks` have already arrived. */
export function asideFor(
  { headers }: ResponseHead,
  chunks: readonly Buffer[],
  call: Call,
  source: { giveUp(): void },
): SetAside<Buffer> {
  const { policy, request } = call;
  const contentLength = request.method === 'HEAD' ? 0 : Number(headers['content-length']);
  const aside = new SetAside<Buffer>(
    { clock: policy.clock, longestMs: discardMsOf(call), contentLength },
    source,
  );
  for (const chunk of chunks) aside.take(chunk);
  // A connection that is not wanted is closed at once. Most responses end in the turn of their headers, and need no timer.
  if (contentLength > MOST_READ_AHEAD_BYTES) aside.limit();
  else SOON.then(() => aside.limit());
  return aside;
}
