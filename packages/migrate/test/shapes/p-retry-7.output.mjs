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

async function readLines(path) {
  const res = await fetch(`https://api.example.com/${path}`);
  if (res.status >= 500) throw new Error('unavailable');
  return (await res.text()).split('\n');
}

const reliable = (...args) => retry(() => readLines(...args), { ...likePRetry, maxRetries: 2, backoff: ({ retry }) => 50 * 2 ** (retry - 1) });

export const lines = async (path = 'a.txt') => {
  const first = await reliable(path);
  const rest = await retry(() => readLines('b.txt'), likePRetry);
  return [...first, ...rest];
};
