// Helpers that rewritten programs get where options of ebb alone do not say what the other library did. `«…»` is for TypeScript alone.

const AXIOS_ERROR = `
/** The error that axios makes of an outcome, as far as this program reads it. */
const errorOf = (outcome«: ebb__Outcome», { method, url }«: ebb__RequestTraits»)«: ebb__AxiosError» =>
  (outcome.type === 'failure'
    ? outcome.error
    : {
        message: \`Request failed with status code \${outcome.status}\`,
        code: outcome.status >= 500 ? 'ERR_BAD_RESPONSE' : 'ERR_BAD_REQUEST',
        response: {
          status: outcome.status,
          headers: new Proxy({}, { get: (_, name) => outcome.header(String(name).toLowerCase()) }),
        },
        config: { method: method.toLowerCase(), url },
      })« as ebb__AxiosError»;`;

/** By name. `ebb__` stands in front of names of ebb, and of other helpers. */
export const SNIPPETS: Readonly<Record<string, string>> = {
  likeAxiosRetry: `
/** The defaults of axios-retry. */
const likeAxiosRetry«: ebb__PolicyOptions» = {
  maxRetries: 3,
  backoff: ebb__constant(0),
  methods: 'all',
  classify: (outcome, { method }) => {
    const mayRepeat = /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method);
    if (outcome.type === 'failure') {
      if (outcome.kind === 'timeout' || outcome.kind === 'aborted') return 'final';
      return mayRepeat || outcome.kind !== 'unknown' ? 'transient' : 'final';
    }
    if (outcome.status < 300) return 'success';
    return mayRepeat && (outcome.status === 429 || outcome.status >= 500) ? 'transient' : 'final';
  },
};`,
  retriedIf: `
/** Decides by the error, as \`retryCondition\` of axios-retry does. */
const retriedIf = (condition«: (error: ebb__AxiosError) => unknown»)«: ebb__Classify» => (outcome, request) => {
  if (outcome.type === 'response' && outcome.status >= 200 && outcome.status < 300) return 'success';
  if (outcome.type === 'failure' && outcome.kind === 'aborted') return 'final';
  return condition(ebb__errorOf(outcome, request)) ? 'transient' : 'final';
};`,
  errorOf: AXIOS_ERROR,
  waitOf: `
/** Waits as \`retryDelay\` of axios-retry says. */
const waitOf =
  (retryDelay«: (retryCount: number, error: ebb__AxiosError) => number»)«: ebb__BackoffStrategy» =>
  ({ retry, outcome, request }) =>
    retryDelay(retry, ebb__errorOf(outcome«!», request«!»));`,
  isRetryableError: `
const isRetryableError = ({ code, response }«: ebb__AxiosError»)«: boolean» =>
  code !== 'ECONNABORTED' && (!response || response.status === 429 || response.status >= 500);`,
  isSafeRequestError: `
const isSafeRequestError = (error«: ebb__AxiosError»)«: boolean» =>
  ebb__isRetryableError(error) && /^(get|head|options)$/.test(error.config?.method ?? '');`,
  isIdempotentRequestError: `
const isIdempotentRequestError = (error«: ebb__AxiosError»)«: boolean» =>
  ebb__isRetryableError(error) && /^(get|head|options|put|delete)$/.test(error.config?.method ?? '');`,
  isNetworkError: `
const isNetworkError = ({ code, response }«: ebb__AxiosError»)«: boolean» =>
  !response && code !== undefined && !/^(ERR_CANCELED|ECONNABORTED|ENOTFOUND|ENETUNREACH|.*CERT.*)$/.test(code);`,
  isNetworkOrIdempotentRequestError: `
const isNetworkOrIdempotentRequestError = (error«: ebb__AxiosError»)«: boolean» =>
  ebb__isNetworkError(error) || ebb__isIdempotentRequestError(error);`,
  exponentialDelay: `
const exponentialDelay = (retry«: number») => 100 * 2 ** retry * (1 + Math.random() / 5);`,
  retryEvents: `
/** Calls the functions that axios-retry called. */
const retryEvents =
  ({ onRetry, onMaxRetryTimesExceeded }«: {
    onRetry?: (retryCount: number, error: ebb__AxiosError, config: NonNullable<ebb__AxiosError['config']>) => unknown;
    onMaxRetryTimesExceeded?: (error: ebb__AxiosError, retryCount: number) => unknown;
  }») =>
  (event«: ebb__EbbEvent») => {
    const { outcome, request } = ebb__detailsOf(event) ?? {};
    if (!outcome || !request) return;
    const error = ebb__errorOf(outcome, request);
    if (event.type === 'retry') onRetry?.(event.attempt, error, error.config«!»);
    if (event.type === 'end' && event.reason === 'retries-exhausted') onMaxRetryTimesExceeded?.(error, event.attempt - 1);
  };`,
  likePRetry: `
/** The defaults of p-retry: after any error but a mistake in the program the function is called again. */
const likePRetry«: ebb__PolicyOptions» = {
  maxRetries: 10,
  backoff: ({ retry }) => 1000 * 2 ** (retry - 1),
  feedback: false,
  classify: (outcome) => {
    if (outcome.type === 'response') return outcome.status === 0 ? 'success' : 'transient';
    return outcome.kind === 'unknown' && outcome.error instanceof TypeError ? 'final' : 'transient';
  },
};`,
  judgedBy: `
/** Judges an error by functions that p-retry called. */
const judgedBy =
  ({ retries = 10, onFailedAttempt, shouldRetry }«: {
    retries?: number;
    onFailedAttempt?: (context: ebb__FailedAttempt) => unknown;
    shouldRetry?: (context: ebb__FailedAttempt) => boolean;
  }») =>
  (settled«: ebb__AttemptResult<unknown>», attempt«: number») => {
    if (settled.type === 'value') return 'success';
    const error = settled.error« as Error»;
    const context = { error, attemptNumber: attempt, retriesLeft: retries + 1 - attempt };
    onFailedAttempt?.(context);
    return context.retriesLeft > 0 && shouldRetry?.(context) === false ? 'final' : undefined;
  };`,
  FailedAttempt: `
type FailedAttempt = { error: Error; attemptNumber: number; retriesLeft: number };`,
  likeAsyncRetry: `
/** The defaults of async-retry: after any error without \`bail\` the function is called again. */
const likeAsyncRetry«: ebb__PolicyOptions» = {
  maxRetries: 10,
  backoff: ({ retry, random }) => (1 + random()) * 1000 * 2 ** (retry - 1),
  feedback: false,
  classify: (outcome) => {
    if (outcome.type === 'response' && outcome.status === 0) return 'success';
    return (outcome.error« as { bail?: unknown } | undefined»)?.bail ? 'final' : 'transient';
  },
};`,
  likeFetchRetry: `
/** The defaults of fetch-retry. */
const likeFetchRetry«: ebb__PolicyOptions» = {
  maxRetries: 3,
  backoff: ebb__constant(1000),
  feedback: false,
  methods: 'all',
  classify: ebb__retriedOn([]),
};`,
  retriedOn: `
/** Decides as \`retryOn\` of fetch-retry does: by statuses, or by a function. */
const retriedOn =
  (retryOn«: readonly number[] | ((attempt: number, ...settled: ebb__SettledFetch) => unknown)»)«: ebb__Classify» =>
  (outcome, _request, attempt) => {
    if (outcome.type === 'failure' && outcome.kind === 'aborted') return 'final';
    const [error, response] = ebb__settledBy(outcome);
    const isRetried =
      typeof retryOn === 'function'
        ? retryOn(attempt - 1, error, response)
        : response === null || retryOn.includes(response.status);
    if (isRetried) return 'transient';
    return response === null || response.status >= 400 ? 'final' : 'success';
  };`,
  settledBy: `
/** The error and the response of an outcome, as far as this program reads them. */
const settledBy = (outcome«: ebb__Outcome»)«: ebb__SettledFetch» => {
  if (outcome.type === 'failure') return [outcome.error« as Error», null];
  const { status } = outcome;
  const headers = { get: (name«: string») => outcome.header(name.toLowerCase()) ?? null };
  return [null, { status, ok: status >= 200 && status < 300, headers }« as unknown as Response»];
};`,
  SettledFetch: `
type SettledFetch = [error: Error | null, response: Response | null];`,
  waitAfter: `
/** Waits as \`retryDelay\` of fetch-retry says. */
const waitAfter =
  (retryDelay«: (attempt: number, ...settled: ebb__SettledFetch) => number»)«: ebb__BackoffStrategy» =>
  ({ retry, outcome }) =>
    retryDelay(retry - 1, ...ebb__settledBy(outcome«!»));`,
  likeKy: `
/** The retry defaults of ky. */
const likeKy«: ebb__PolicyOptions» = {
  maxRetries: 2,
  backoff: ({ retry }) => 300 * 2 ** (retry - 1),
  methods: ['GET', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'],
  classify: ebb__retriedStatuses([408, 413, 429, 500, 502, 503, 504]),
};`,
  retriedStatuses: `
/** Retries lost connections and these statuses, as ky does: a 413 if it says when. */
const retriedStatuses = (statuses«: readonly number[]»)«: ebb__Classify» => (outcome) => {
  if (outcome.type === 'failure') return /^(connect|network)$/.test(outcome.kind) ? 'transient' : 'final';
  if (outcome.status < 400) return 'success';
  const isRetried = outcome.status !== 413 || outcome.header('retry-after') !== undefined;
  return isRetried && statuses.includes(outcome.status) ? 'transient' : 'final';
};`,
  stop: `
/** Errors after which nothing is called again. */
const stopped = new WeakSet();
const stop = (reason«?: unknown») => {
  const error = reason instanceof Error ? reason : new Error(reason === undefined ? 'Aborted' : String(reason));
  stopped.add(error);
  return error;
};
const unlessStopped = (settled«: ebb__AttemptResult<unknown>») =>
  settled.type === 'error' && stopped.has(settled.error« as object») ? 'final' : undefined;`,
};

/** The names that a snippet declares besides its own. */
export const ALSO: Readonly<Record<string, string>> = { stopped: 'stop', unlessStopped: 'stop' };
