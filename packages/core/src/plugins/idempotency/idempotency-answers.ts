import { notNegative } from '../../base/check.ts';
import { type OptionTable, readOptions } from '../../base/options.ts';
import { shortHeader } from '../../http/headers.ts';
import type { InspectAdvice, ResponseOutcome } from '../../http/outcome.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { Plugin } from '../../policy/plugin.ts';
import { checkHeader } from '../deadlines/header.ts';

/** Options of {@link idempotencyAnswers}. */
export interface IdempotencyAnswersOptions {
  /**
   * The header with which the server marks an answer as the saved one of an earlier request: its value is `true`, or `?1`.
   * @default 'idempotent-replayed'
   */
  readonly replayedHeader?: string | undefined;
  /**
   * The shortest wait after a 409, in milliseconds: the time that the first request may still need. A longer `Retry-After` or backoff
   * counts.
   * @default 1_000
   */
  readonly waitMs?: number | undefined;
}

const OPTIONS: OptionTable<IdempotencyAnswersOptions> = {
  replayedHeader: { check: checkHeader, default: 'idempotent-replayed' },
  waitMs: { check: notNegative, default: 1_000 },
};

/** True if the request carries a key, from its caller or from ebb, in each attempt. */
function isKeyed({ key, request }: CallView): boolean {
  return key ? key.isKept : Boolean(request.header('idempotency-key')?.trim());
}

/**
 * A plugin that knows the answers to a request with an `Idempotency-Key`. It leaves requests without a key alone.
 *
 * - 409, another request with this key is in progress: `transient`, so it is asked again with the same key, after `waitMs` at least
 * - 400 and 422, the key is missing or malformed, or was used with another body: `final`
 * - a saved answer: marked as `replayed` in the history; `final` if it is an error, because the same key brings the same answer
 *
 * Verdicts of the policy's `inspect`, and of plugins before it, stay. A 409 uses a retry.
 *
 * Source: draft-ietf-httpapi-idempotency-key-header-07 §2.7; Stripe, "Idempotent requests" (`Idempotent-Replayed`).
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { idempotencyAnswers } from '@ebb/core/idempotency';
 *
 * const policy = createPolicy({ idempotencyKey: true, plugins: [idempotencyAnswers()] });
 * ```
 */
export function idempotencyAnswers(options: IdempotencyAnswersOptions = {}): Plugin {
  const { replayedHeader, waitMs } = readOptions('idempotencyAnswers', options, OPTIONS);
  const name = replayedHeader.toLowerCase();
  /** The attempts of a call that were answered with a saved answer. */
  const replayed = new WeakMap<CallView, number[]>();

  const isReplayed = (outcome: ResponseOutcome): boolean =>
    /^\s*(true|\?1)\s*$/i.test(shortHeader(outcome, name) ?? '');

  function adviceOn({ status }: ResponseOutcome, isSaved: boolean): InspectAdvice | undefined {
    if (status === 400 || status === 422 || (isSaved && status >= 400)) return { verdict: 'final' };
    return status === 409 ? { verdict: 'transient', waitMs } : undefined;
  }

  return {
    name: 'idempotencyAnswers',
    inspect: {
      judge(outcome, call, { attempt }, advice) {
        // The target of a redirect does not know the key.
        if (call.isInner || outcome.redirected || !isKeyed(call)) return undefined;
        const isSaved = isReplayed(outcome);
        if (isSaved) replayed.set(call, [...(replayed.get(call) ?? []), attempt]);
        return advice?.verdict ? undefined : adviceOn(outcome, isSaved);
      },
    },
    ended(call) {
      const attempts = replayed.get(call);
      if (attempts === undefined) return;
      call.history = call.history.map((one) =>
        // A skipped attempt has the number of the next one.
        one.status !== undefined && attempts.includes(one.attempt) ? { ...one, replayed: true } : one,
      );
    },
  };
}
