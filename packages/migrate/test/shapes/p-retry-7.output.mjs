import { retry } from '@ebb/core';

// likePRetry a2f2

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
