import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { type DurableBucket, type DurableBucketOptions, durableBucket } from '../src/index.ts';
import { type LeaseCall, type LeaseReply, readCall } from '../src/lease-call.ts';
import { SharedTokens } from '../src/shared-tokens.ts';

/** How the object answers a call. */
type Behaviour = 'replies' | 'throws' | 'hangs' | 'refuses';

/** An object under a virtual clock, as isolates see it from a distance. */
export class World {
  readonly clock: VirtualClock = virtualClock({ startMs: 0 });
  readonly tokens = new SharedTokens();
  behaviour: Behaviour = 'replies';
  /** How long a call takes, both ways. */
  roundTripMs = 10;
  readonly calls: LeaseCall[] = [];
  readonly replies: LeaseReply[] = [];
  readonly promises: Promise<unknown>[] = [];

  bucket(options: Partial<DurableBucketOptions> = {}): DurableBucket {
    return durableBucket({
      object: () => ({ fetch: (_, { body }) => this.#answer(body) }),
      waitUntil: (promise) => this.promises.push(promise),
      refillPerSecond: 100,
      capacity: 20,
      clock: this.clock,
      random: () => 0.5,
      ...options,
    });
  }

  async #answer(body: string): Promise<{ status: number; text(): Promise<string> }> {
    const call = readCall(JSON.parse(body));
    this.calls.push(call);
    await this.clock.sleep(this.roundTripMs / 2);
    if (this.behaviour === 'hangs') await new Promise(() => undefined);
    if (this.behaviour === 'throws') throw new Error('Network connection lost.');
    if (this.behaviour === 'refuses') return { status: 500, text: async () => 'broken' };
    const reply = this.tokens.lease(call, this.clock.now());
    await this.clock.sleep(this.roundTripMs / 2);
    this.replies.push(reply);
    return { status: 200, text: async () => JSON.stringify(reply) };
  }

  /** What a promise has settled to after so long. */
  async fateOf<T>(promise: Promise<T>, withinMs = 0): Promise<T | Error | 'waits'> {
    const fate = promise.catch((error: Error) => error);
    await this.clock.advance(withinMs);
    return Promise.race([fate, this.clock.advance(0).then(() => 'waits' as const)]);
  }
}
