import type { Result } from './call.ts';
import type { Complaint } from './oracle.ts';
import type { Played } from './play.ts';
import type { Seen } from './record.ts';

const NONE = Buffer.alloc(0);

/** True if these bytes, read to their end, can be what the server has sent for a request. */
function isBodyOf({ method, served }: Seen, bytes: Buffer): boolean {
  if (served === undefined) return false;
  if (method === 'HEAD') return bytes.length === 0;
  // Of a client that does not decode.
  if (served.coded?.equals(bytes)) return served.sent !== 'cut';
  // Of a body that was cut too: the rest has come from further requests.
  if (bytes.equals(served.content)) return true;
  const from = served.content.subarray(served.from);
  if (bytes.equals(from)) return served.sent !== 'cut';
  return served.sent === 'short' && from.subarray(0, bytes.length).equals(bytes);
}

/** True if these bytes can be the beginning of what the server has sent. */
function isStartOf({ method, served }: Seen, bytes: Buffer): boolean {
  if (served === undefined) return false;
  if (method === 'HEAD') return bytes.length === 0;
  const isStart = (whole: Buffer): boolean => whole.subarray(0, bytes.length).equals(bytes);
  return isStart(served.content) || (served.coded !== undefined && isStart(served.coded));
}

/** True for the events of a stream that has broken, after which the server has said, by a 204, that there are no others. */
function isEnded(seen: readonly Seen[], bytes: Buffer): boolean {
  const isOver = seen.some(({ served }) => served?.status === 204);
  return isOver && (bytes.length === 0 || bytes.subarray(-2).toString() === '\n\n');
}

function* judgeRead(
  number: number,
  { reply, isWhole, plan }: Result,
  bytes: Buffer,
  seen: readonly Seen[],
): Iterable<Complaint> {
  const candidates = seen.filter(({ call, served }) => call === number && served?.status === reply?.status);
  const fits = isWhole && plan.abortAt !== 'body' ? isBodyOf : isStartOf;
  if (candidates.some((one) => fits(one, bytes))) return;
  const events = candidates.filter(({ step }) => step.do.startsWith('events'));
  const own = seen.filter(({ call }) => call === number);
  if (isEnded(own, bytes) && events.some((one) => isStartOf(one, bytes))) return;
  const got = `${bytes.length} bytes "${bytes.toString('latin1', 0, 12)}"`;
  const sent = candidates
    .map(({ step, served }) => `${step.do} ${served?.sent} ${served?.content.length}`)
    .join(', ');
  yield {
    rule: 'bytes',
    detail: `call ${number} got ${got} with ${reply?.status}, and was sent ${sent || 'no such response'}`,
  };
}

/** What a caller gets are the server's bytes, or an error. */
export function* judgeBytes({ of, results, seen }: Played): Iterable<Complaint> {
  // To undici a failure without an error is none.
  if (of.parts.isBlank) return;
  for (const [number, result] of results.entries()) {
    if (result.reply === undefined) continue;
    if (result.isFailed) continue;
    if (result.bytes) yield* judgeRead(number, result, result.bytes, seen);
    else if (result.plan.caller === 'all' || result.isWhole) yield* judgeRead(number, result, NONE, seen);
    if (result.cloned && !result.cloned.equals(result.bytes ?? NONE))
      yield { rule: 'clone', detail: `call ${number}: its clone has ${result.cloned.length} bytes` };
  }
}
