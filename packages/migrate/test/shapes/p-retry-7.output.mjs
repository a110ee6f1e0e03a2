import { likePRetry, makeRetriable } from '@ebb/compat';
import { retry } from '@ebb/core';

async function readLines(path) {
  const res = await fetch(`https://api.example.com/${path}`);
  if (res.status >= 500) throw new Error('unavailable');
  return (await res.text()).split('\n');
}

const reliable = makeRetriable(readLines, { retries: 2, minTimeout: 50 });

export const lines = async (path = 'a.txt') => {
  const first = await reliable(path);
  const rest = await retry(() => readLines('b.txt'), likePRetry());
  return [...first, ...rest];
};
