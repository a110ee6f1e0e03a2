import { seededRandom, virtualClock } from '@ebb/core/testing';
import { valkeyBucket } from '../src/index.ts';
import { ModelStore } from './model-store.ts';

const rtt = Number(process.argv[2] ?? 200);
const clock = virtualClock({ startMs: 0 });
const store = new ModelStore(clock);
store.latencyMs = rtt / 2;
const bucket = valkeyBucket({
  client: store,
  key: 'k',
  refillPerSecond: 1000,
  capacity: 200,
  clock,
  random: seededRandom(1),
});
let n = 0;
const run = async () => {
  for (;;) {
    await bucket.acquire({});
    n++;
  }
};
for (let i = 0; i < 16; i++) void run();
const orig = store.evalsha.bind(store);
const log: string[] = [];
(store as any).evalsha = async (s: string, k: string, a: readonly string[]) => {
  const at = clock.now();
  const r: any = await orig(s, k, a);
  log.push(
    `${at.toFixed(0)}→${clock.now().toFixed(0)} ${a[0]} min ${(+a[6]! / 1e6).toFixed(0)} avail ${(+a[7]! / 1e6).toFixed(0)} soon ${(+a[9]! / 1e6).toFixed(0)} granted ${(r[0] / 1e6).toFixed(0)} emptyIn ${(r[2] / 1e3).toFixed(0)} pool ${bucket.stats().leased.toFixed(0)} wait ${r[1]}`,
  );
  return r;
};
let last = 0;
for (let s = 0; s < 8; s++) {
  await clock.advance(1000);
  console.log(s, n - last);
  last = n;
}
console.log(log.slice(0, 26).join('\n'));
process.exit(0);
