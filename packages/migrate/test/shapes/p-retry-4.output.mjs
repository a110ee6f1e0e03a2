import { constant, retry } from '@ebb/core';

/** The defaults of p-retry: after any error but a mistake in the program the function is called again. */
const likePRetry = {
  maxRetries: 10,
  backoff: ({ retry }) => 1000 * 2 ** (retry - 1),
  feedback: false,
  classify: (outcome) => {
    if (outcome.type === 'response') return outcome.status === 0 ? 'success' : 'transient';
    return outcome.kind === 'unknown' && outcome.error instanceof TypeError ? 'final' : 'transient';
  },
};

/** Judges an error by functions that p-retry called. */
const judgedBy =
  ({ retries = 10, onFailedAttempt, shouldRetry }) =>
  (settled, attempt) => {
    if (settled.type === 'value') return 'success';
    const error = settled.error;
    const context = { error, attemptNumber: attempt, retriesLeft: retries + 1 - attempt };
    onFailedAttempt?.(context);
    return context.retriesLeft > 0 && shouldRetry?.(context) === false ? 'final' : undefined;
  };

class HttpError extends Error {
  constructor(status) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

async function fetchJson(path) {
  const res = await fetch(`https://api.example.com${path}`);
  if (!res.ok) throw new HttpError(res.status);
  return res.json();
}

export const settings = () =>
  retry(() => fetchJson('/settings'), {
    ...likePRetry,
    maxRetries: 4,
    backoff: constant(100),
  }, { judge: judgedBy({ retries: 4, shouldRetry: ({ error }) => !(error instanceof HttpError) || error.status >= 500, onFailedAttempt: ({ attemptNumber, retriesLeft }) => {
      console.log(`${attemptNumber} done, ${retriesLeft} left`);
    } }) });
