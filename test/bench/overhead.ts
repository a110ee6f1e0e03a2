// What ebb adds to a request that goes well at once, per request: each client over a stub that answers at
// once, bare and through ebb. Run: pnpm bench overhead
import { createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

const response = new Response('ok');
const bare = (() => Promise.resolve(response)) as typeof fetch;
const throughEbb = createFetch(createPolicy(), bare);

async function nsPerCall(call: () => Promise<unknown>, calls = 300_000): Promise<number> {
  for (let i = 0; i < calls / 10; i += 1) await call();
  const rounds: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const start = performance.now();
    for (let i = 0; i < calls; i += 1) await call();
    rounds.push(((performance.now() - start) * 1e6) / calls);
  }
  return rounds.sort((a, b) => a - b)[3] ?? Number.NaN;
}

const url = 'http://127.0.0.1/';
const bareNs = await nsPerCall(() => bare(url));
const ebbNs = await nsPerCall(() => throughEbb(url));
console.log({ bareNs, ebbNs, addedNs: ebbNs - bareNs });
