import type { CallPlan, Case } from './case.ts';
import type { Complaint } from './oracle.ts';
import type { Parts } from './parts.ts';
import type { Step } from './step.ts';

/** A fault of ebb that is known, and not fixed. */
export interface Known {
  readonly rule: string;
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

/** A body of node-fetch that may break while it is looked at. */
const isLookedAt = ({ client, parts }: Case): boolean =>
  client === 'node-fetch' && (parts.inspect !== undefined || parts.actualCost !== undefined);

const isDispatched = ({ client }: Case): boolean =>
  client === 'dispatcher-fetch' || (client.startsWith('undici-') && client !== 'undici-fetch');

export const KNOWN: readonly Known[] = [
  {
    rule: 'events',
    why: 'undici: the rest of a download is asked for by the session that has ended, which reports retries and a second end',
    matches: (of, { detail }) =>
      isDispatched(of) && /attempt( hedge)* end (other-retries )?(end|retry)/.test(detail),
    example: caseOf('undici-request', {}, [{ do: 'file-cut', size: 40 }]),
  },
  {
    rule: 'part',
    why: 'undici: a part is told of the end of a call twice if its download was to be resumed',
    matches: (of, { detail }) => isDispatched(of) && /ended$/.test(detail),
    example: caseOf('undici-request', { own: { place: 'tokens', does: 'counts' } }, [
      { do: 'file-cut', size: 40 },
    ]),
  },
  {
    rule: 'bytes',
    why: 'fetch: as above, so that an event stream which is resumed for no reason is empty',
    matches: ({ client, parts }) => client === 'node-fetch' && parts.isResuming === true,
    example: caseOf('node-fetch', { isResuming: true }, [{ do: 'events', size: 20 }, { do: 'no-content' }]),
  },
  {
    rule: 'escape',
    why: 'fetch: `resuming` reads the Node streams of node-fetch as web streams, so that even whole bodies fail',
    matches: ({ client, parts }, { detail }) =>
      client === 'node-fetch' && parts.isResuming === true && detail.includes('resumed-body.ts'),
    example: caseOf('node-fetch', { isResuming: true }, [{ do: 'file', size: 40 }]),
  },
  {
    rule: 'escape',
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
    rule: 'slots',
    why: 'core: a body of node-fetch that breaks during a look is replaced by one that node-fetch never reads, and keeps its slot',
    matches: isLookedAt,
    example: caseOf('node-fetch', { concurrency: { max: 1 }, inspect: 'reads' }, [
      { do: 'reset-in-body', size: 20 },
    ]),
  },
  {
    rule: 'listeners',
    why: 'core: as above, and so does its listener',
    matches: isLookedAt,
    example: caseOf(
      'node-fetch',
      { concurrency: { max: 1 }, inspect: 'reads' },
      [{ do: 'reset-in-body', size: 20 }],
      { isSignalled: true },
    ),
  },
  {
    rule: 'timers',
    why: 'core: as above, and it is looked for once a second',
    matches: isLookedAt,
    example: caseOf('node-fetch', { concurrency: { max: 1 }, inspect: 'reads', isCounted: true }, [
      { do: 'reset-in-body', size: 20 },
    ]),
  },
  {
    rule: 'tokens',
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
    rule: 'part',
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
  return KNOWN.find((known) => known.rule === complaint.rule && known.matches(of, complaint));
}
