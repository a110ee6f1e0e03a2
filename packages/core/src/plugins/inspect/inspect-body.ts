import { devText } from '#dev-text';
import { countingNumber, notNegative, positive, wrongType } from '../../base/check.ts';
import { HookError, isPromise } from '../../base/errors.ts';
import { type OptionTable, readOptions } from '../../base/options.ts';
import { BodyReader, type LookBounds } from '../../bodies/body-reader.ts';
import { peekAt } from '../../bodies/peek.ts';
import { withinBounds } from '../../call/deadline.ts';
import type { InspectionContext } from '../../http/body.ts';
import { checkVerdict } from '../../http/classify.ts';
import {
  type InspectAdvice,
  type InspectedResponse,
  type InspectResult,
  type Outcome,
  type ResponseOutcome,
  withAdvice,
} from '../../http/outcome.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { BodyAccess, BodyInspector } from '../../policy/plugin.ts';

/**
 * Judges a response by its body. Called for every response, a success too, except in a nested client. Look at `status` and
 * headers first: a body is only read when it is asked for. Return nothing to leave the verdict to `classify`.
 */
export type Inspect = (
  response: InspectedResponse,
) => InspectResult | undefined | Promise<InspectResult | undefined>;

/** Options of {@link inspectBody}. */
export interface InspectBodyOptions {
  /**
   * The most of a body that is looked at, in bytes.
   * @default 65_536
   */
  readonly maxBytes?: number | undefined;
  /**
   * The longest wait for the part of a body that is asked for, in milliseconds. The response is then judged by the part that has
   * arrived. Advice that takes twice as long counts as none.
   * @default 1_000
   */
  readonly timeoutMs?: number | undefined;
}

const OPTIONS: OptionTable<InspectBodyOptions> = {
  maxBytes: { check: countingNumber, default: 65_536 },
  timeoutMs: { check: positive, default: 1_000 },
};

/** A body that breaks before anyone has seen it is a failure of the attempt. */
const BROKEN: InspectResult = { verdict: 'transient' };

/**
 * Judges responses by their body: an error in a 200, the reason of a 429, the first event of a stream. For the policy's
 * `inspect`. A function apart, so that programs without it do not carry its code.
 *
 * The caller gets the same bytes, and a stream goes on streaming after the look. A body that breaks during the look, before
 * the caller has seen any of it, is `transient`.
 *
 * @param inspect called with every response, except in a nested client
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, inspectBody } from '@ebb/core';
 *
 * const inspect = inspectBody(async (response) => {
 *   if (response.status !== 200) return undefined;
 *   const body = (await response.json()) as { error?: string } | undefined;
 *   return body?.error === 'busy' ? { verdict: 'refused', waitMs: 2_000 } : undefined;
 * });
 * const policy = createPolicy({ inspect });
 * ```
 */
export function inspectBody(inspect: Inspect, options: InspectBodyOptions = {}): BodyInspector {
  if (typeof inspect !== 'function') throw wrongType('inspectBody: inspect', devText('a function'), inspect);
  const { maxBytes, timeoutMs } = readOptions('inspectBody', options, OPTIONS);
  const look: BodyInspector['look'] = (outcome, context) =>
    lookAt(inspect, { bytes: maxBytes, timeoutMs, clock: context.clock }, outcome, context);
  return {
    look,
    endsItself: true,
    judge(outcome, call, body) {
      // A nested client leaves its responses to the outer one.
      return call.isInner ? undefined : judgeBody(look, outcome, call, body);
    },
  };
}

async function judgeBody(
  look: BodyInspector['look'],
  outcome: ResponseOutcome,
  { request, policy }: CallView,
  body: BodyAccess,
): Promise<InspectAdvice | undefined> {
  const { clock } = policy;
  const open = (maxBytes: number) => peekAt(body.open(), maxBytes, { signal: body.signal, clock });
  const looked = await look(outcome, { ...body, open, request, clock });
  return looked.type === 'response' ? looked.advice : undefined;
}

async function lookAt(
  inspect: Inspect,
  bounds: LookBounds,
  outcome: ResponseOutcome,
  context: InspectionContext,
): Promise<Outcome> {
  const look = new BodyReader(outcome, context, bounds);
  try {
    const said = inspect(look);
    const advice = isPromise(said) ? await inTime(said, bounds, context.signal) : said;
    checkResult(advice);
    if (advice !== undefined && advice !== null) return withAdvice(outcome, advice);
    return look.error === undefined || context.signal?.aborted ? outcome : withAdvice(outcome, BROKEN);
  } catch (cause) {
    throw new HookError('inspect', cause);
  } finally {
    look.end();
  }
}

const LATE = Symbol('late');

/** If `inspect` waits for something else than the body, it must not hold the response for ever, nor after an abort. */
async function inTime<T>(
  said: PromiseLike<T>,
  { timeoutMs, clock }: LookBounds,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  try {
    // Twice the time: a look that runs into its timeout has as long again to be judged.
    return await withinBounds(said, { clock, signal, leftMs: 2 * timeoutMs, late: () => LATE });
  } catch (error) {
    if (error === LATE || signal?.aborted) return undefined;
    throw error;
  }
}

function checkResult(advice: unknown): void {
  if (advice === undefined || advice === null) return;
  if (typeof advice !== 'object') throw wrongType('its result', devText('an object'), advice);
  const { verdict, waitMs }: InspectResult = advice;
  if (verdict !== undefined) checkVerdict('verdict', verdict);
  if (waitMs !== undefined) notNegative('waitMs', waitMs);
}
