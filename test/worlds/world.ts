import { seededRandom, type VirtualClock, virtualClock } from '@ebb/core/testing';
import { ServerQuota } from './server-quota.ts';

/** What an account may use in a minute. The output binds. */
export const ACCOUNT = { requests: 1_000, input: 400_000, output: 80_000 };
/** What each request asks for at most. */
export const MAX_TOKENS = 4_096;
const MINUTES = 6;
/** From here on the minute that an account has at the beginning is gone. */
const STEADY_FROM_MINUTE = 2;

/** One account at a server, in virtual time. */
export interface World {
  readonly clock: VirtualClock;
  readonly random: () => number;
  readonly requests: ServerQuota;
  readonly input: ServerQuota;
  /** Of output, or of the only tokens that the server counts. */
  readonly output: ServerQuota;
}

/** What the server does with the body of a request. */
export type Rule = (world: World, body: string) => Promise<Response>;

/** Sends a body once, over the network. */
type Send = (body: string) => Promise<Response>;

/** Makes what callers call instead of {@link Send}: it sends when it may, and again after a refusal. */
export type Client = (send: Send, world: World) => Send;

export interface RunOptions {
  readonly callers?: number;
  /** The processes that the callers are in, each with a client of its own. */
  readonly processes?: number;
  /** Another sends a request so often, in milliseconds, past the clients and whatever the server says. */
  readonly strangerEveryMs?: number;
  readonly seed?: number;
}

/** What the server has seen. */
export interface Seen {
  /** The part of all that the server had to give that it has charged: of its first minute and of what came in. */
  readonly use: number;
  /** The part of all that which was lost, because it came in or back while the server's quota was full. The rest is left. */
  readonly lost: number;
  /** What it has charged since {@link STEADY_FROM_MINUTE}, as a part of what came in. More if less was left at the end than then. */
  readonly steadyUse: number;
  /** The part of the sends of the clients that it answered with a 429. */
  readonly refused: number;
  readonly sent: number;
}

/** An answer of lognormal length, with a median of 300 tokens. */
export function lengthOf({ random }: World): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.min(MAX_TOKENS, Math.ceil(300 * Math.exp(0.8 * normal)));
}

/** Runs callers that send one request after the other, and counts what the server has seen. */
export async function run(rule: Rule, client: Client, options: RunOptions = {}): Promise<Seen> {
  const { callers = 400, processes = 1, strangerEveryMs, seed = 7 } = options;
  const clock = virtualClock({ startMs: 0 });
  const random = seededRandom(seed);
  const world: World = {
    clock,
    random,
    requests: new ServerQuota(clock, ACCOUNT.requests),
    input: new ServerQuota(clock, ACCOUNT.input),
    output: new ServerQuota(clock, ACCOUNT.output),
  };
  let sent = 0;
  let refused = 0;
  const network = () => clock.sleep(50 + random() * 150);
  const send: Send = async (body) => {
    sent += 1;
    await network();
    const response = await rule(world, body);
    await network();
    if (response.status === 429) refused += 1;
    return response;
  };
  const bodyOf = (words: number): string =>
    JSON.stringify({
      model: 'm',
      max_tokens: MAX_TOKENS,
      messages: [{ role: 'user', content: 'word '.repeat(words) }],
    });
  const caller = async (ask: Send): Promise<never> => {
    for (;;) await (await ask(bodyOf(40 + Math.floor(random() * 400)))).text();
  };
  const stranger = async (everyMs: number): Promise<never> => {
    for (;;) {
      void rule(world, bodyOf(240));
      await clock.sleep(everyMs);
    }
  };
  for (let process = 0; process < processes; process += 1) {
    const ask = client(send, world);
    for (let at = process; at < callers; at += processes) void caller(ask);
  }
  if (strangerEveryMs !== undefined) void stranger(strangerEveryMs);
  const steadyMs = STEADY_FROM_MINUTE * 60_000;
  await clock.advance(steadyMs);
  const before = world.output.taken;
  await clock.advance(MINUTES * 60_000 - steadyMs);
  const { taken, lost, aMinute } = world.output;
  const offered = aMinute * (1 + MINUTES);
  return {
    use: taken / offered,
    lost: lost / offered,
    steadyUse: (taken - before) / (aMinute * (MINUTES - STEADY_FROM_MINUTE)),
    refused: refused / sent,
    sent,
  };
}
