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

const params: PolicyOptions = { ...likeFetchRetry, maxRetries: 2, backoff: constant(300), classify: retriedOn([500]) };
const f = createFetch(params, fetch);

export class Repo {
  private readonly base: string;

  constructor(base: string) {
    this.base = base;
  }

  async find(id: number): Promise<string> {
    const res = await f(`${this.base}/repo/${id}`, { headers: { accept: 'text/plain' } });
    return res.text();
  }

  /** Removing is tried more often. */
  async remove(id: number): Promise<number> {
    const res = await f(`${this.base}/repo/${id}`, { method: 'DELETE', ebb: { maxRetries: 4 } });
    return res.status;
  }
}

export const remove = (): Promise<number> => new Repo('https://api.example.com').remove(1);
