import {
  type Inspect,
  type InspectedResponse,
  type InspectResult,
  inspectBody,
  type PolicyOptions,
  type RequestTraits,
  serverFeedback,
} from '@ebb/core';

import { hasType, parseJson, textAt } from './body.ts';
import { classifyBy, type PresetOptions, repeatsPosts } from './options.ts';

const THROTTLING: ReadonlySet<string | undefined> = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);

const TRANSIENT: ReadonlySet<string | undefined> = new Set([
  'TimeoutError',
  'RequestTimeout',
  'RequestTimeoutException',
]);

/** The code without its namespace, which ends with `#`, and without what follows a colon. */
function bare(code: string | undefined): string | undefined {
  return code?.replace(/:.*$/s, '').replace(/^.*#/s, '').trim();
}

/** The code of an error: of JSON below `__type` or `code`, of XML in `<Code>`. */
function codeIn(body: string): string | undefined {
  const json = parseJson(body);
  const code = textAt(json, '__type') ?? textAt(json, 'code') ?? /<Code>([^<]+)<\/Code>/.exec(body)?.[1];
  return bare(code);
}

function meaningOf(code: string | undefined): InspectResult | undefined {
  if (THROTTLING.has(code)) return { verdict: 'refused' };
  return TRANSIENT.has(code) ? { verdict: 'transient' } : undefined;
}

async function ofError(response: InspectedResponse): Promise<InspectResult | undefined> {
  return meaningOf(codeIn(await response.text()));
}

async function ofCopy(response: InspectedResponse): Promise<InspectResult | undefined> {
  const body = (await response.text()).trimEnd();
  return body.endsWith('</Error>') ? (meaningOf(codeIn(body)) ?? { verdict: 'transient' }) : undefined;
}

/** True for the requests of S3 that respond with 200 before they have done their work, to keep the connection open. */
function isLongWork(request: RequestTraits): boolean {
  if (request.header('x-amz-copy-source') !== undefined) return true;
  return request.method === 'POST' && /[?&]uploadId=/.test(request.url);
}

const judge: Inspect = (response) => {
  const { status, request } = response;
  // A 429 is a refusal by its status.
  if (status >= 400 && status !== 429) {
    const code = response.header('x-amzn-errortype');
    return code === undefined ? ofError(response) : meaningOf(bare(code));
  }
  return status === 200 && isLongWork(request) && hasType(response, 'xml') ? ofCopy(response) : undefined;
};

const inspect = /* @__PURE__ */ inspectBody(judge);

const classify = classifyBy((status) => [500, 502, 503, 504].includes(status));

/**
 * For the HTTP APIs of AWS, and services that speak like them.
 *
 * - Retried: by its code, whatever the status: 14 codes of throttling, such as `ThrottlingException` and `SlowDown`, as a
 *   refusal; `RequestTimeout` and its kin as transient. By its status: 429 as a refusal; 500, 502, 503, 504. And broken
 *   connections and timeouts. The code is in the header `x-amzn-errortype`, in JSON below `__type` or `code`, or in the
 *   `<Code>` of XML. In S3 a copy, and the completion of an upload, may fail in a 200: its body is read as well.
 * - Final: everything else, such as 408, 409 and 529, and the codes of a wrong clock, which need a new signature.
 * - POST again: only after a refusal. `repeatPosts: true` repeats every request, as the SDK does.
 * - Waits and quotas: `x-amz-retry-after` (milliseconds), `Retry-After`. AWS reports no quota in headers.
 *
 * A signature is valid for minutes: sign each attempt with `beforeAttempt`, or keep `retryAfter.maxMs` short. If S3 takes
 * longer for a copy than a second, its error in the 200 is not seen.
 *
 * Source: @smithy/core 3.41.0 (`service-error-classification`, `parseRetryAfterHeader`); @aws-sdk/client-s3 3.1169.0
 * (`throw200ExceptionsMiddleware`); Amazon S3, "Best practices for error handling".
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy, fullJitter } from '@ebb/core';
 * import { aws } from '@ebb/providers';
 *
 * const policy = createPolicy({ ...aws(), backoff: fullJitter({ baseMs: 50, capMs: 20_000 }) });
 * ```
 */
export function aws(options: PresetOptions = {}): PolicyOptions {
  return {
    classify,
    feedback: serverFeedback,
    inspect,
    methods: repeatsPosts('aws', options, false) ? 'all' : 'idempotent',
  };
}
