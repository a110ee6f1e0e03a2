import { type Classify, constant, type Outcome, type PolicyOptions } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

type SettledFetch = [error: Error | null, response: Response | null];

/** The error and the response of an outcome, as far as this program reads them. */
const settledBy = (outcome: Outcome): SettledFetch => {
  if (outcome.type === 'failure') return [outcome.error as Error, null];
  const { status } = outcome;
  const headers = { get: (name: string) => outcome.header(name.toLowerCase()) ?? null };
  return [null, { status, ok: status >= 200 && status < 300, headers } as unknown as Response];
};

/** Decides as `retryOn` of fetch-retry does: by statuses, or by a function. */
const retriedOn =
  (retryOn: readonly number[] | ((attempt: number, ...settled: SettledFetch) => unknown)): Classify =>
  (outcome, _request, attempt) => {
    if (outcome.type === 'failure' && outcome.kind === 'aborted') return 'final';
    const [error, response] = settledBy(outcome);
    const isRetried =
      typeof retryOn === 'function'
        ? retryOn(attempt - 1, error, response)
        : response === null || retryOn.includes(response.status);
    if (isRetried) return 'transient';
    return response === null || response.status >= 400 ? 'final' : 'success';
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
