import { retry } from '@ebb/core';

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

const run = async () => {
  const response = await fetch('https://api.example.com/unicorn');
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
};

export const unicorn = () => retry(run, { ...likePRetry, maxRetries: 5 });
