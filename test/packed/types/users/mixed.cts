import { createFetch } from '@ebb/fetch';
import { ebbInterceptor } from '@ebb/undici';

// A policy of the ES module in a CommonJS program.
export async function make(): Promise<typeof globalThis.fetch> {
  const { policy } = await import('./core.mjs');
  ebbInterceptor(policy);
  return createFetch(policy);
}
