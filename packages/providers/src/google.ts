import {
  type Inspect,
  type InspectedResponse,
  type InspectResult,
  inspectBody,
  type PolicyOptions,
  type RequestTraits,
  type ServerEvent,
  serverFeedback,
} from '@ebb/core';
import { durationMs, isObject, isRepeatable } from '@ebb/core/internal';

import { at, isEventStream, listAt, parseJson, pathOf, textAt } from './body.ts';
import { classifyBy, type PresetOptions, repeatsPosts } from './options.ts';

/** Besides 429. */
const TRANSIENT: ReadonlySet<unknown> = new Set([408, 500, 502, 503, 504]);

const RATE_REASONS: ReadonlySet<string | undefined> = new Set(['rateLimitExceeded', 'userRateLimitExceeded']);

const MODEL_CALL = /:(?:generateContent|streamGenerateContent|embedContent|batchEmbedContents|countTokens)$/;

/** True for a call that computes something from its body, and changes nothing. */
function isModelCall({ url }: RequestTraits): boolean {
  return MODEL_CALL.test(pathOf(url));
}

function isRepeatableCall(request: RequestTraits): boolean {
  return isModelCall(request) || isRepeatable(request);
}

/** The error of a body. A stream that is no event stream is a list of chunks, of which the first is the error. */
function errorOf(body: unknown): unknown {
  return at(Array.isArray(body) ? body[0] : body, 'error');
}

/** A quota per day, or one of nothing at all. The message of a quota per minute has the same words, so they prove nothing. */
function isHopeless(violation: unknown): boolean {
  return textAt(violation, 'quotaId')?.includes('PerDay') === true || at(violation, 'quotaValue') === '0';
}

function ofLimit(error: unknown): InspectResult {
  const details = listAt(error, 'details');
  const violations = details.flatMap((detail) => listAt(detail, 'violations'));
  if (violations.some(isHopeless) || at(error, 'code') === 'quota_exceeded') return { verdict: 'final' };
  const delays = details.map((detail) => durationMs(textAt(detail, 'retryDelay') ?? ''));
  return { verdict: 'refused', waitMs: delays.find((delay) => delay !== undefined) };
}

async function ofRefusal(response: InspectedResponse): Promise<InspectResult> {
  return ofLimit(errorOf(await response.json()));
}

async function ofForbidden(response: InspectedResponse): Promise<InspectResult | undefined> {
  const errors = listAt(errorOf(await response.json()), 'errors');
  return errors.some((error) => RATE_REASONS.has(textAt(error, 'reason')))
    ? { verdict: 'refused' }
    : undefined;
}

async function ofUnavailable(response: InspectedResponse): Promise<InspectResult | undefined> {
  const status = at(errorOf(await response.json()), 'status');
  return status === 'UNAVAILABLE' ? { verdict: 'refused' } : undefined;
}

async function ofFirstEvent(response: InspectedResponse): Promise<InspectResult | undefined> {
  const first = await response.firstEvent();
  const error = first === undefined ? undefined : errorOf(parseJson(first.data));
  if (!isObject(error)) return undefined;
  const code = at(error, 'code');
  if (code === 429 || code === 'rate_limit_exceeded') return ofLimit(error);
  return { verdict: TRANSIENT.has(code) ? 'transient' : 'final' };
}

const judge: Inspect = (response) => {
  const { status, request } = response;
  if (status === 429) return ofRefusal(response);
  if (status === 403) return ofForbidden(response);
  if (status === 503) return isModelCall(request) ? ofUnavailable(response) : undefined;
  return status < 300 && isEventStream(response) ? ofFirstEvent(response) : undefined;
};

const inspect = /* @__PURE__ */ inspectBody(judge);

const classify = classifyBy((status) => TRANSIENT.has(status));

/**
 * For Gemini and the JSON APIs of Google Cloud.
 *
 * - Retried: 408, 429, 500, 502, 503, 504, broken connections, timeouts; a 403 with the reason `rateLimitExceeded` or
 *   `userRateLimitExceeded`, as a refusal; and an error that is the first event of an event stream (`alt=sse`).
 * - Final, although it is a 429: a quota per day (`quotaId` with `PerDay`), a quota of 0, and `quota_exceeded`. The message
 *   is not read: it says the same of a quota per minute. Final, too: every other 403, and every other 5xx.
 * - POST again: the calls of a model, which change nothing: `:generateContent`, `:streamGenerateContent`, `:embedContent`,
 *   `:batchEmbedContents`, `:countTokens`. Other requests if their method is idempotent. `repeatPosts: false` ends the
 *   exception for models. A model that is `UNAVAILABLE` has refused.
 * - Waits and quotas: `RetryInfo.retryDelay` in the body; Google reports no quota in headers.
 *
 * The body of a 200 is read only if it is an event stream, up to its first event.
 *
 * Source: @google/genai 3.1.0 (statuses, streams); @google-cloud/common 8.2.0 (`shouldRetryRequest`); Google, "Gemini API
 * rate limits" and "Troubleshooting"; Google Cloud Storage, "Retry strategy"; google.rpc `QuotaFailure` and `RetryInfo`.
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { google } from '@ebb/providers';
 *
 * const policy = createPolicy({ ...google(), maxRetries: 4 });
 * ```
 */
export function google(options: PresetOptions = {}): PolicyOptions {
  return {
    classify,
    feedback: serverFeedback,
    inspect,
    methods: repeatsPosts('google', options, true) ? isRepeatableCall : 'idempotent',
  };
}

/**
 * True for an event of Gemini whose candidate has a `finishReason`, or whose prompt was blocked, and for errors. Events after it
 * pass as well.
 *
 * Source: @google/genai 3.1.0 (`GenerateContentResponse`).
 */
export function googleIsLast({ data }: ServerEvent): boolean {
  if (!/"(?:finishReason|blockReason|error)"/.test(data)) return false;
  const json = parseJson(data);
  if (isObject(at(json, 'error')) || textAt(json, 'promptFeedback', 'blockReason') !== undefined) return true;
  const candidates = listAt(json, 'candidates');
  return candidates.length > 0 && candidates.every((one) => textAt(one, 'finishReason') !== undefined);
}
