import type { EbbEvent } from '@ebb/core';
import { checkGrammar } from './grammar.ts';
import type { Complaint } from './oracle.ts';
import type { Played } from './play.ts';

function byCall(events: readonly EbbEvent[]): ReadonlyMap<object, readonly EbbEvent[]> {
  return Map.groupBy(events, ({ request }) => request);
}

export function* judgeEvents({ probe, of }: Played): Iterable<Complaint> {
  for (const events of [...byCall(probe.events).values(), ...byCall(probe.innerEvents).values()]) {
    const fault = checkGrammar(events);
    if (fault !== undefined) yield { rule: 'events', detail: fault };
  }
  const attempts = probe.events.filter(({ type }) => type === 'attempt').length;
  const hedges = probe.events.filter(({ type }) => type === 'hedge').length;
  if (of.parts.isUnobserved) return;
  if (of.parts.isAround && probe.arounds !== attempts)
    yield {
      rule: 'around',
      detail: `aroundAttempt was called ${probe.arounds} times for ${attempts} attempts`,
    };
  const { own } = probe;
  if (of.parts.own === undefined) return;
  if (own.arounds !== attempts)
    yield {
      rule: 'around',
      detail: `around was called ${own.arounds} times for ${attempts} attempts, ${hedges} hedges`,
    };
  if (own.begun !== own.ended) yield { rule: 'part', detail: `${own.begun} calls begun, ${own.ended} ended` };
  if (own.held !== 0) yield { rule: 'part', detail: `${own.held} attempts entered, and never left` };
}
