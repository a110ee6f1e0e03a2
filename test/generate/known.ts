import type { CallPlan, Case } from './case.ts';
import type { Complaint } from './oracle.ts';
import type { Parts } from './parts.ts';
import type { Step } from './step.ts';

/** A fault of ebb that is known, and not fixed. */
export interface Known {
  /** What it breaks; the first is what the example shows. */
  readonly rules: readonly string[];
  readonly why: string;
  matches(of: Case, complaint: Complaint): boolean;
  /** A case that shows it: once it does not any more, this entry has to go. */
  readonly example: Case;
}

const caseOf = (
  client: Case['client'],
  parts: Partial<Parts>,
  script: readonly Step[],
  plan: Partial<CallPlan> = {},
): Case => ({
  seed: 0,
  client,
  parts: { maxRetries: 0, backoffMs: 0, ...parts },
  calls: [{ method: 'GET', body: 'none', bodySize: 30, to: 'a', caller: 'all', startMs: 0, script, ...plan }],
});

const isDispatched = ({ client }: Case): boolean =>
  client === 'dispatcher-fetch' || (client.startsWith('undici-') && client !== 'undici-fetch');

export const KNOWN: readonly Known[] = [
  {
    rules: ['escape', 'bytes', 'fails', 'too many', 'hang', 'slots', 'listeners'],
    why: 'fetch: `resuming` reads the Node streams of node-fetch as web streams, so that even whole bodies fail',
    matches: ({ client, parts }, { rule, detail }) =>
      client === 'node-fetch' &&
      parts.isResuming === true &&
      (rule !== 'escape' || detail.includes('cancel is not a function')),
    example: caseOf('node-fetch', { isResuming: true }, [{ do: 'file', size: 40 }]),
  },
  {
    rules: ['escape'],
    why: 'core: a watched body that is aborted in the turn of its response rejects where no one listens',
    matches: (_, { detail }) => detail.includes('watched-stream.ts'),
    example: caseOf(
      'fetch',
      { bucket: { kind: 'still', nonConforming: 'delay', isSettled: true }, inspect: 'first-event' },
      [],
      { caller: 'abort', abortAt: 'response', abortReason: 'error', isSignalled: true },
    ),
  },
  {
    rules: ['slots', 'listeners', 'timers', 'waiting', 'hang'],
    why: 'core: a body of node-fetch that breaks during a look is replaced by one that node-fetch never reads, and keeps its slot',
    matches: ({ client, parts }) =>
      client === 'node-fetch' && (parts.inspect !== undefined || parts.actualCost !== undefined),
    example: caseOf('node-fetch', { concurrency: { max: 1 }, inspect: 'reads' }, [
      { do: 'reset-in-body', size: 20 },
    ]),
  },
  {
    rules: ['fault', 'escape'],
    why: 'core: a `cost` that returns a promise is taken for costs by unit, and not refused as other hooks are',
    matches: ({ parts: { fault } }) => fault?.hook === 'cost' && fault.does === 'rejects',
    example: caseOf('fetch', { cost: 2, fault: { hook: 'cost', does: 'rejects', at: 1 } }, [
      { do: 'status', status: 403 },
    ]),
  },
  {
    rules: ['events', 'part'],
    why: 'undici: of a call that is aborted with the event of an attempt whose hooks took all of its time, no one hears the end',
    matches: (of, { detail }) =>
      isDispatched(of) &&
      of.parts.attemptTimeoutMs !== undefined &&
      of.calls.some(({ abortAt }) => abortAt !== undefined) &&
      !/ end/.test(detail),
    example: caseOf(
      'undici-request',
      { maxRetries: 1, attemptTimeoutMs: 25, hook: { does: 'never', trusts: 'a' } },
      [],
      { caller: 'abort', abortAt: 'attempt', abortReason: 'text', isSignalled: true },
    ),
  },
  {
    rules: ['hang'],
    why: 'core: body factories that call their own client wait for tokens which a `settled` bucket holds back for their own calls',
    matches: ({ parts }) => parts.bucket?.isSettled === true && parts.factory === 'calls',
    example: caseOf(
      'undici-request',
      { bucket: { kind: 'fast', nonConforming: 'delay', isSettled: true }, cost: 3, factory: 'calls' },
      [],
      { method: 'PUT', body: 'factory' },
    ),
  },
  {
    rules: ['tokens'],
    why: 'core: what a hook of an inner layer sends through a dispatcher is taken for the next hop of a redirect, and pays nothing',
    matches: (of) => isDispatched(of) && of.parts.layer !== undefined && of.parts.hook?.does === 'calls',
    example: caseOf(
      'undici-pipeline',
      {
        bucket: { kind: 'still', nonConforming: 'mark' },
        hook: { does: 'calls', trusts: 'all' },
        layer: 'same',
      },
      [],
    ),
  },
  {
    rules: ['part'],
    why: 'core: a part that has begun is not told of the end of a call if the `begin` of a part after it throws',
    matches: ({ parts }, { detail }) => parts.fault !== undefined && /begun, \d+ ended/.test(detail),
    example: caseOf(
      'fetch',
      {
        bucket: { kind: 'still', nonConforming: 'reject', isPerKey: true },
        own: { place: 'slot', does: 'counts' },
        fault: { hook: 'keyOf', does: 'throws', at: 1 },
      },
      [],
    ),
  },
  {
    rules: ['part'],
    why: 'core: parts do not `leave` an attempt that the total timeout has ended, whose look has failed, or that a layer below has judged',
    matches: ({ parts }, { detail }) =>
      detail.includes('never left') &&
      (parts.totalTimeoutMs !== undefined || parts.fault?.hook === 'inspect' || parts.layer !== undefined),
    example: caseOf('fetch', { totalTimeoutMs: 15, own: { place: 'tokens', does: 'counts' } }, [
      { do: 'silent' },
    ]),
  },
];

/** The known fault that a complaint is about. */
export function knownFor(of: Case, complaint: Complaint): Known | undefined {
  return KNOWN.find((known) => known.rules.includes(complaint.rule) && known.matches(of, complaint));
}
