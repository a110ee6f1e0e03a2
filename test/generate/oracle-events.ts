import { orderFault } from '../../packages/testing/src/suite/grammar.ts';
import type { Complaint } from './oracle.ts';
import type { Played } from './play.ts';

export function* judgeEvents(played: Played): Iterable<Complaint> {
  const { probe, of } = played;
  for (const events of [probe.events, probe.innerEvents]) {
    const fault = orderFault(events);
    if (fault !== undefined) yield { rule: 'events', detail: `events ${fault}` };
  }
  if (!of.parts.isUnobserved) yield* judgeArounds(played);
  const { own } = probe;
  if (own.begun !== own.ended) yield { rule: 'part', detail: `${own.begun} calls begun, ${own.ended} ended` };
  if (own.held !== 0) yield { rule: 'part', detail: `${own.held} attempts entered, and never left` };
}

/** What is to stand around each attempt stands around each. */
function* judgeArounds({ probe, of, results }: Played): Iterable<Complaint> {
  const { isAround, own, attemptTimeoutMs, hedge } = of.parts;
  const attempts = probe.events.filter(({ type }) => type === 'attempt').length;
  const sent = [...(isAround ? [probe.arounds] : []), ...(own ? [probe.own.arounds] : [])];
  // An attempt whose hooks have taken all of its time is none that is sent, nor one whose event makes the caller abort.
  const isStopped = attemptTimeoutMs !== undefined || results.some(({ aborted }) => aborted !== undefined);
  const least = isStopped ? 0 : attempts;
  // Hedges too. That one was sent is reported only if its race ends.
  const most = attempts * (1 + (hedge?.max ?? 0));
  for (const arounds of sent) {
    if (arounds > most || arounds < least)
      yield { rule: 'around', detail: `around was called ${arounds} times for ${attempts} attempts` };
  }
}
