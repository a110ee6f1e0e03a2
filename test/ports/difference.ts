import type { Played } from '../migration/like/play.ts';
import type { Script } from './scripts.ts';

const ROUNDING_MS = 1;
/** ebb waits up to a fifth longer than a server asks for, and at most a second. */
const [JITTER_SHARE, JITTER_MS] = [0.2, 1_000];

/** The waits between the requests, and from the last one to the end. */
const gapsOf = ({ sentMs, endedMs }: Played): number[] =>
  [...sentMs.slice(1), endedMs].map((atMs, at) => atMs - (sentMs[at] ?? 0));

/** How the port differs from the original; `undefined` if it does not. */
export function difference(original: Played, port: Played, { steps }: Script): string | undefined {
  if (original.sentMs.length !== port.sentMs.length)
    return `${port.sentMs.length} requests, not ${original.sentMs.length}`;
  const [was, is] = [gapsOf(original), gapsOf(port)];
  const isAsked = steps.some(({ headers }) => headers !== undefined);
  const isOther = was.some((gap, at) => {
    const over = (is[at] ?? 0) - gap;
    const longer = isAsked ? Math.min(gap * JITTER_SHARE, JITTER_MS) : 0;
    return over < -ROUNDING_MS || over > longer + ROUNDING_MS;
  });
  if (isOther) return `after ${is} ms, not ${was}`;
  const [ended, ends] = [original, port].map(({ end }) => JSON.stringify(end));
  if (ended !== ends) return `ends with ${ends}, not ${ended}`;
  const [told, tells] = [original, port].map(({ log }) => log.join('; '));
  return told === tells ? undefined : `logs ${tells}, not ${told}`;
}
