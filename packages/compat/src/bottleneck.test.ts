import { describe, expect, test } from 'vitest';
import { likeBottleneck } from './bottleneck.ts';

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('likeBottleneck', () => {
  test('lets so many functions run at once, and the lowest priority go first', async () => {
    const limiter = likeBottleneck({ maxConcurrent: 1 });
    const order: string[] = [];
    const held = Promise.withResolvers<void>();
    const first = limiter.schedule(() => held.promise);
    const others = [
      limiter.schedule(async (name: string) => order.push(name), 'usual'),
      limiter.schedule({ priority: 1, id: 'a' }, async (name: string) => order.push(name), 'first'),
      limiter.wrap(async (name: string, more: string) => order.push(name + more))('wrapped', '!'),
    ];
    await turns();
    expect(order).toEqual([]);
    held.resolve();
    await Promise.all([first, ...others]);
    expect(order).toEqual(['first', 'usual', 'wrapped!']);
  });

  test('starts one in each minTime', () => {
    const { policy } = likeBottleneck({ minTime: 200 });
    expect(policy.bucket).toBeDefined();
    expect(policy.maxRetries).toBe(0);
  });

  test('returns and throws what the function does', async () => {
    const limiter = likeBottleneck({ maxConcurrent: 2 });
    expect(await limiter.schedule((one: number, other: number) => one + other, 1, 2)).toBe(3);
    const error = new Error('no');
    await expect(limiter.schedule(() => Promise.reject(error))).rejects.toBe(error);
  });

  test.each<[object, RegExp]>([
    [{ maxConcurrent: 0 }, /maxConcurrent/],
    [{ reservoir: 5 }, /reservoir must be a number with an amount/],
    [{ minTime: 5, reservoir: 5, reservoirRefreshAmount: 5, reservoirRefreshInterval: 5 }, /without minTime/],
    [{ highWater: 5 }, /no option "highWater"/],
  ])('%j is refused', (options, message) => {
    expect(() => likeBottleneck(options)).toThrow(message);
  });

  test('what it has not is an error that names it', () => {
    const limiter = likeBottleneck({ maxConcurrent: null, minTime: null, reservoir: null }) as object as {
      on(): void;
    };
    expect(() => limiter.on()).toThrow('likeBottleneck has no on');
    expect(() => likeBottleneck().schedule({ weight: 2 } as never, () => 1)).toThrow('no option "weight"');
  });
});
