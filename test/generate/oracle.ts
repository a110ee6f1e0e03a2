import { judgeBytes } from './oracle-bytes.ts';
import { judgeEvents } from './oracle-events.ts';
import { judgeLimits } from './oracle-limits.ts';
import { judgePace } from './oracle-pace.ts';
import { judgeRequests } from './oracle-requests.ts';
import { judgeResults } from './oracle-results.ts';
import type { Played } from './play.ts';

/** What is wrong with a case. */
export interface Complaint {
  /** Which rule was broken: cases that break the same rule have the same. */
  readonly rule: string;
  readonly detail: string;
}

type Judge = (played: Played) => Iterable<Complaint>;

function* judgeSettling({ results }: Played): Iterable<Complaint> {
  for (const [number, { isDone, plan }] of results.entries()) {
    if (!isDone) yield { rule: 'hang', detail: `call ${number} (${plan.caller}) does not end` };
  }
}

const OF_ALL: readonly Judge[] = [judgeBytes, judgeRequests, judgeLimits];
/** What a client does not promise by itself. */
const OF_EBB: readonly Judge[] = [judgeEvents, judgeResults, judgePace];

/** All that is wrong with a case that was played. */
export function judge(played: Played, isBare = false): readonly Complaint[] {
  // What hangs leaves everything else where it is.
  const hangs = [...judgeSettling(played)];
  if (hangs.length > 0) return hangs;
  return [...OF_ALL, ...(isBare ? [] : OF_EBB)].flatMap((one) => [...one(played)]);
}
