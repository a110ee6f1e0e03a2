import { waitUntil } from 'cloudflare:workers';
import { createFetch } from '@ebb/fetch';
import { BucketObject, durableBucket } from '@ebb/workers';

const fetch = createFetch({ maxRetries: 1 });
const url = 'https://upstream.test/';

// Additions of Cloudflare's workers to the standard fetch.
export const accepted: (() => Promise<Response>)[] = [
  () => fetch(url, { cf: { cacheTtl: 5 }, ebb: { maxRetries: 0 } }),
];
export const refused: (() => unknown)[] = [
  // @ts-expect-error: a string for a number
  () => fetch(url, { cf: { cacheTtl: '5' } }),
];

export const objectClass: new (state: DurableObjectState, env: unknown) => DurableObject = BucketObject;

interface Env {
  readonly BUCKET: DurableObjectNamespace;
}
export const bucketOf = ({ BUCKET }: Env) =>
  createFetch({
    bucket: durableBucket({ object: () => BUCKET.getByName('api'), waitUntil, refillPerSecond: 10 }),
  });
export const withoutObject = () =>
  // @ts-expect-error: no object
  durableBucket({ waitUntil, refillPerSecond: 10 });
