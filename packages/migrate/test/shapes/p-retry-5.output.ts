import { type PolicyOptions, retry } from '@ebb/core';

/** The defaults of p-retry: after any error but a mistake in the program the function is called again. */
const likePRetry: PolicyOptions = {
  maxRetries: 10,
  backoff: ({ retry }) => 1000 * 2 ** (retry - 1),
  feedback: false,
  classify: (outcome) => {
    if (outcome.type === 'response') return outcome.status === 0 ? 'success' : 'transient';
    return outcome.kind === 'unknown' && outcome.error instanceof TypeError ? 'final' : 'transient';
  },
};

const RETRY: PolicyOptions = { ...likePRetry, maxRetries: 2, backoff: ({ retry }) => Math.min(1500, 1000 * 2 ** (retry - 1)) };

export async function connect(signal?: AbortSignal): Promise<number> {
  const response = await retry(() => fetch('https://api.example.com/connect', { signal: signal ?? null }), RETRY);
  return response.status;
}
