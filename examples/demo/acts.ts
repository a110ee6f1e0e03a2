import type { Lane } from './lanes.ts';
import type { DemoRequest, Result } from './traffic.ts';
import { breakingOff, failingOver, limiting, type Upstream } from './upstreams.ts';

/** A request of an act and its result. */
export interface Sent {
  readonly client: string;
  readonly ask: DemoRequest;
  readonly result: Result;
}

/** The results of an act: of bare clients against one upstream, and of the policy against another of the same kind. */
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
  /** The requests that each client sends, all at once. */
  readonly asks: readonly DemoRequest[];
  /** What the act shows, and why. */
  readonly lesson: readonly string[];
  /** Checks the results against the lesson. Returns the first contradiction as a sentence. */
  broken(played: Played): string | undefined;
}

const get = (name: string): DemoRequest => ({ name, method: 'GET' });
const order = (name: string, headers: Record<string, string> = {}): DemoRequest => ({
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
    'The server behaves like Memorystore in a failover: for 1.8 s after the first',
    'request it returns 503 and 500 in turn. Then it recovers.',
  ],
  open: () => failingOver(1_800),
  asks: [get('GET 1'), get('GET 2')],
  lesson: [
    'A 5xx may pass, and a GET is safe to repeat, so ebb retries. The wait doubles',
    'each time, which gives the server time to recover. Random jitter keeps its',
    'clients from coming back all at once.',
  ],
  broken: allAnswered,
};

const quota: Act = {
  title: 'A gateway throttles',
  story: [
    'The server has a token bucket, like Amazon API Gateway: a burst of 4, then 4',
    'per second. When it is empty, it returns 429 and "Retry-After: 1".',
  ],
  open: () => limiting({ perSecond: 4, burst: 4 }),
  asks: [get('GET 1'), get('GET 2'), get('GET 3'), get('GET 4')],
  lesson: [
    'The bucket of the policy sends 6 requests at once, from whichever client, and',
    'the others one by one. After a 429 nothing was done, so any request may be',
    'retried: after its Retry-After, plus a little jitter. If the bucket has the',
    "gateway's own rate, requests wait in the client and are not refused:",
    'examples/shared-bucket.ts shows that.',
  ],
  broken: allAnswered,
};

const reset: Act = {
  title: 'A shop hangs up',
  story: [
    'The server carries out each order, and then resets the connection instead of',
    'responding. It does so the first two times that it sees a request. "POST+key"',
    'is an order with an Idempotency-Key.',
  ],
  open: () => breakingOff(2),
  asks: [get('GET'), order('POST'), order('POST+key', { 'idempotency-key': 'tea-1' })],
  lesson: [
    'The client cannot know whether the tea was ordered. So ebb does not repeat',
    "the POST: the caller gets its client's own error. With a key the server",
    'recognises a repeated order, so ebb retries. The server counted: each order',
    'was carried out once.',
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
