import { retry } from '@ebb/core';

/** The defaults of async-retry: after any error without `bail` the function is called again. */
const likeAsyncRetry = {
  maxRetries: 10,
  backoff: ({ retry, random }) => (1 + random()) * 1000 * 2 ** (retry - 1),
  feedback: false,
  classify: (outcome) => {
    if (outcome.type === 'response' && outcome.status === 0) return 'success';
    return (outcome.error)?.bail ? 'final' : 'transient';
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

export async function fetchWithRetry(path = '/') {
  let status = 0;
  await retry(
    async () => {
      const response = await fetch(`https://api.example.com${path}`);
      status = response.status;
      if (status >= 500) throw new Error(`server says ${status}`);
    },
    {
      ...likeAsyncRetry,
      maxRetries: 2,
      backoff: ({ retry }) => 2000 * 3 ** (retry - 1),
    }, { judge: judgedBy({ retries: 2, onFailedAttempt: ({ error, attemptNumber, retriesLeft }) => retriesLeft > 0 && ((err, num) => {
        console.log(`retry count: ${num}: ${err.message}`);
      })(error, attemptNumber) }) },
  );
  return status;
}
