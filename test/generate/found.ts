import type { CallPlan, Case } from './case.ts';
import type { Parts } from './parts.ts';
import type { Step } from './step.ts';

/** A case that has broken a rule. */
export interface FoundOnce {
  readonly what: string;
  readonly case: Case;
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

/** What has been found, each made as small as its fault allowed: none of them breaks a rule any more. */
export const FOUND: readonly FoundOnce[] = [
  {
    what: 'fetch: `resumable` reads the Node streams of node-fetch as web streams, so that even whole bodies fail',
    case: caseOf('node-fetch', { isResuming: true }, [{ do: 'file', size: 40 }]),
  },
  {
    what: 'core: a watched body that is aborted in the turn of its response rejects where no one listens',
    case: caseOf(
      'fetch',
      { bucket: { kind: 'still', nonConforming: 'delay', isSettled: true }, inspect: 'first-event' },
      [],
      { caller: 'abort', abortAt: 'response', abortReason: 'error', isSignalled: true },
    ),
  },
  {
    what: 'core: a body of node-fetch that breaks during a look is replaced by one that node-fetch never reads, and keeps its slot',
    case: caseOf('node-fetch', { concurrency: { max: 1 }, inspect: 'reads' }, [
      { do: 'reset-in-body', size: 20 },
    ]),
  },
  {
    what: 'core: a `cost` that returns a promise is taken for costs by unit, and not refused as other hooks are',
    case: caseOf('fetch', { cost: 2, fault: { hook: 'cost', does: 'rejects', at: 1 } }, [
      { do: 'status', status: 403 },
    ]),
  },
  {
    what: 'undici: of a call that is aborted with the event of an attempt whose hooks took all of its time, no one hears the end',
    case: caseOf(
      'undici-request',
      { maxRetries: 1, attemptTimeoutMs: 25, hook: { does: 'never', trusts: 'a' } },
      [],
      { caller: 'abort', abortAt: 'attempt', abortReason: 'text', isSignalled: true },
    ),
  },
  {
    what: 'core: body factories that call their own client wait for tokens which a `settled` bucket holds back for their own calls',
    case: caseOf(
      'undici-request',
      { bucket: { kind: 'fast', nonConforming: 'delay', isSettled: true }, cost: 3, factory: 'calls' },
      [],
      { method: 'PUT', body: 'factory' },
    ),
  },
  {
    what: 'core: what a hook of an inner layer sends through a dispatcher is taken for the next hop of a redirect, and pays nothing',
    case: caseOf(
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
    what: 'core: a part that has begun is not told of the end of a call if the `begin` of a part after it throws',
    case: caseOf(
      'fetch',
      {
        bucket: { kind: 'still', nonConforming: 'reject', isPerKey: true },
        own: { does: 'counts' },
        fault: { hook: 'keyOf', does: 'throws', at: 1 },
      },
      [],
    ),
  },
  {
    what: 'core: parts do not `leave` an attempt that the total timeout has ended, whose look has failed, or that a layer below has judged',
    case: caseOf('fetch', { totalTimeoutMs: 15, own: { does: 'counts' } }, [{ do: 'silent' }]),
  },
  {
    what: 'undici: an abort at the `retry` after a timeout in a hook leaves a call without an `end`',
    case: caseOf(
      'undici-pipeline',
      { maxRetries: 1, attemptTimeoutMs: 5, hook: { does: 'calls', trusts: 'a' } },
      [],
      { caller: 'abort', isAuthorized: true, isSignalled: true, abortAt: 'retry', abortReason: 'null' },
    ),
  },
  {
    what: 'fetch: a body of node-fetch that breaks while `inspect` takes its time keeps the tokens of a settled bucket',
    case: {
      ...caseOf(
        'node-fetch',
        {
          bucket: { kind: 'fast', nonConforming: 'delay', isSettled: true },
          cost: 3,
          inspect: 'never',
        },
        [{ do: 'reset-in-body', size: 2_000 }],
      ),
      calls: [
        ...caseOf('node-fetch', {}, [{ do: 'reset-in-body', size: 2_000 }]).calls,
        ...caseOf('node-fetch', {}, []).calls,
      ],
    },
  },
];
