import { type Classify, constant, type PolicyOptions } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

/** Decides as `retryOn` of fetch-retry does: by statuses, or by a function. */
const retriedOn =
  (retryOn: readonly number[] | ((attempt: number, error: Error | null, response: Response | null) => unknown)): Classify =>
  (outcome, _request, attempt) => {
    const isFailure = outcome.type === 'failure';
    if (isFailure && outcome.kind === 'aborted') return 'final';
    const status = isFailure ? 0 : outcome.status;
    const headers = { get: (name: string) => (isFailure ? null : (outcome.header(name.toLowerCase()) ?? null)) };
    const response = isFailure ? null : ({ status, ok: status >= 200 && status < 300, headers } as unknown as Response);
    const isRetried =
      typeof retryOn === 'function'
        ? retryOn(attempt - 1, isFailure ? (outcome.error as Error) : null, response)
        : isFailure || retryOn.includes(status);
    if (isRetried) return 'transient';
    return isFailure || status >= 400 ? 'final' : 'success';
  };

/** The defaults of fetch-retry. */
const likeFetchRetry: PolicyOptions = {
  maxRetries: 3,
  backoff: constant(1000),
  feedback: false,
  methods: 'all',
  classify: retriedOn([]),
};

const fetchWithRetry = createFetch({
  ...likeFetchRetry,
  maxRetries: 6,
  backoff: ({ retry }) => Math.pow(1.5, retry - 1) * 500,
  classify: retriedOn([429, 500, 502, 503]),
}, fetch);

export const createThing = async (name: string): Promise<number> => {
  const response = await fetchWithRetry('https://api.example.com/things', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  return response.status;
};
