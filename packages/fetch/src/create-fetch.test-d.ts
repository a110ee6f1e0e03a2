import { createPolicy } from '@ebb/core';
import { createFetch } from './index.ts';

// It stands wherever fetch does, and takes what fetch takes.
const asFetch: typeof fetch = createFetch();
const asGlobal: typeof globalThis.fetch = createFetch(createPolicy(), asFetch);
globalThis.fetch satisfies Parameters<typeof createFetch>[1];

const ebbFetch = createFetch({ maxRetries: 1 }, asGlobal);
const answer: Promise<Response> = ebbFetch(new URL('http://upstream/'), {
  method: 'PUT',
  body: () => new Blob(['text']).stream(),
  signal: null,
  ebb: { maxRetries: 0 },
});
void answer;
void ebbFetch(new Request('http://upstream/'), { ebb: false });

// @ts-expect-error an option of no such name
void ebbFetch('http://upstream/', { ebb: { retries: 3 } });
// @ts-expect-error a string for a number
createFetch({ maxRetries: '3' });
