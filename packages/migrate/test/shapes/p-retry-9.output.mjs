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

export async function poll(signal) {
  const response = await retry(
    async () => {
      const res = await fetch('https://api.example.com/job/1');
      const { state } = await res.json();
      if (state !== 'done') throw new Error('not done yet');
      return state;
    },
    { ...likePRetry, maxRetries: 4, backoff: constant(2000), totalTimeoutMs: 60000 }, { signal },
  );
  return response;
}
