import type { Lane } from './lanes.ts';
import type { AcquireOptions, Result } from './traffic.ts';
import { breakingOff, failingOver, throttling, type Upstream } from './upstreams.ts';

/** What came of the requests of an act, in the order in which they were sent. */
export interface Sent {
  readonly client: string;
  readonly ask: AcquireOptions;
  readonly result: Result;
}

/** An act played: by bare clients against one upstream, and through the policy against another of its kind. */
export interface Played {
  readonly bare: readonly Sent[];
  readonly ebb: readonly Sent[];
  readonly lanes: readonly Lane[];
  readonly upstream: Upstream;
}

export interface Act {
  readonly title: string;
  /** What the upstream does. */
  readonly story: readonly string[];
  open(): Promise<Upstream>;
  /** What each of the clients sends, all at once. */
  readonly asks: readonly AcquireOptions[];
  /** What is to be seen, and why. */
  readonly lesson: readonly string[];
  /** What must have come out for the lesson to be true; answers what did not. */
  broken(played: Played): string | undefined;
}

const get = (name: string): AcquireOptions => ({ name, method: 'GET' });
const order = (name: string, headers: Record<string, string> = {}): AcquireOptions => ({
  name,
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: '{"item":"tea"}',
});

const allAnswered = ({ ebb, bare }: Played): string | undefined => {
  const failed = ebb.find(({ result }) => result !== 200);
  if (failed)
    return `${failed.client} ${failed.ask.name} should have ended with 200, and got ${failed.result}`;
  return bare.every(({ result }) => result === 200) ? 'the bare clients met no failure' : undefined;
};

const failover: Act = {
  title: 'A store fails over',
  story: [
    'The server does as Memorystore might in a failover: from the first request',
    'on it answers 503 and 500 by turns for 1.8 s, and then all is well.',
  ],
  open: () => failingOver(1_800),
  asks: [get('GET 1'), get('GET 2')],
  lesson: [
    'A 5xx is worth another try, and a GET may be done twice: ebb asks again,',
    'after a wait that doubles each time, so that the server can get up, and is a',
    'little longer at random, so that its clients do not all come back at once.',
  ],
  broken: allAnswered,
};

const quota: Act = {
  title: 'A gateway throttles',
  story: [
    'The server has a token bucket, as Amazon API Gateway has: a burst of 4, then',
    '4 a second. Whoever finds it empty gets 429 and "Retry-After: 1".',
  ],
  open: () => throttling({ perSecond: 4, burst: 4 }),
  asks: [get('GET 1'), get('GET 2'), get('GET 3'), get('GET 4')],
  lesson: [
    'The bucket of the policy lets 6 go at once, whichever client they come from,',
    'and the others one by one. A 429 says that nothing was done, so any request',
    'may go again: never before its Retry-After is over, and a little later at',
    "random. With the gateway's own rate in the bucket, requests wait here and are",
    'not refused there: examples/shared-bucket.ts shows that.',
  ],
  broken: allAnswered,
};

const reset: Act = {
  title: 'A shop hangs up',
  story: [
    'The server takes orders. It carries each one out, and resets the connection',
    'instead of an answer: the first two times that a request comes. "POST+key" is',
    'an order with an Idempotency-Key.',
  ],
  open: () => breakingOff(2),
  asks: [get('GET'), order('POST'), order('POST+key', { 'idempotency-key': 'tea-1' })],
  lesson: [
    'Nobody on this side can know whether the tea was ordered. So ebb does not',
    "send the POST again: the caller gets its client's own error. With a key the",
    'server knows an order that comes again, so ebb sends it until it is answered.',
    'Each order was carried out once, as the server counted.',
  ],
  broken({ ebb, upstream }) {
    for (const { client, ask, result } of ebb) {
      const expected = ask.name === 'POST' ? 'network' : 200;
      if (result !== expected)
        return `${client} ${ask.name} should have ended with ${expected}, and got ${result}`;
    }
    const orders = ebb.filter(({ ask }) => ask.method === 'POST').length;
    if (upstream.orders.size !== orders)
      return `${upstream.orders.size} of ${orders} orders were carried out`;
    for (const [request, times] of upstream.orders) {
      if (times !== 1) return `${request} was carried out ${times} times`;
    }
    return undefined;
  },
};

export const acts: readonly Act[] = [failover, quota, reset];
