import { describe, expect, test } from 'vitest';
import { inPipeline } from './pipeline.ts';
import type { ValkeyClient } from './store-client.ts';
import { storeClientOf } from './store-client.ts';

/** A connection that notes its packets: those of a corked one go out together. */
class Stream {
  readonly packets: string[][] = [];
  #corked: string[] | undefined;

  cork(): void {
    this.#corked = [];
  }

  uncork(): void {
    if (this.#corked?.length) this.packets.push(this.#corked);
    this.#corked = undefined;
  }

  write(text: string): void {
    if (this.#corked === undefined) this.packets.push([text]);
    else this.#corked.push(text);
  }
}

/** The part of a `Redis`, or of a `Cluster` of two nodes, that is used. The key `x` breaks it. */
function clientOf(streams: readonly Stream[], isCluster: boolean): ValkeyClient {
  const client = {
    defineCommand: () => undefined,
    eval: () => Promise.resolve('eval'),
    evalsha: (_sha1: string, _keys: number, key: string) => {
      if (key === 'x') throw new Error('broken');
      streams[Number(key) % streams.length]?.write(key);
      return Promise.resolve(`reply ${key}`);
    },
  };
  const nodes = () => streams.map((stream) => ({ stream }));
  return Object.assign(client, isCluster ? { nodes } : { stream: streams[0] });
}

describe('the calls of one turn go out', () => {
  test.each<[client: string, nodes: number, isCluster: boolean, packets: string[][][]]>([
    ['in one packet', 1, false, [[['1', '2', '3', '4'], ['5']]]],
    ['in one packet to each node of a cluster', 2, true, [[['2', '4']], [['1', '3'], ['5']]]],
  ])('%s', async (_, nodes, isCluster, packets) => {
    const streams = Array.from({ length: nodes }, () => new Stream());
    const client = clientOf(streams, isCluster);
    const store = inPipeline(client, storeClientOf(client));
    const call = (key: string): Promise<unknown> => store.evalsha('sha', key, []);
    expect(await Promise.all(['1', '2', '3', '4'].map(call))).toEqual(
      [1, 2, 3, 4].map((key) => `reply ${key}`),
    );
    expect(await call('5')).toBe('reply 5');
    expect(streams.map((stream) => stream.packets)).toEqual(packets);
  });

  test('though one of them throws, or there is no connection yet', async () => {
    const client = clientOf([], true);
    const store = inPipeline(client, storeClientOf(client));
    const calls = await Promise.allSettled(['1', 'x', '2'].map((key) => store.evalsha('sha', key, [])));
    expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
