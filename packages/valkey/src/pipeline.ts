import { property } from '@ebb/core/bucket';
import type { StoreClient, ValkeyClient } from './store-client.ts';

/** A socket: data written while the socket is corked goes out together. */
interface CorkableSocket {
  cork(): void;
  uncork(): void;
}

/** The connections of a `Redis` or a `Cluster` of ioredis or iovalkey that are there. */
function connectionsOf(client: ValkeyClient): CorkableSocket[] {
  const nodesOf = property(client, 'nodes');
  const nodes = typeof nodesOf === 'function' ? (nodesOf.call(client) as unknown[]) : [client];
  return nodes
    .map((node) => property(node, 'stream'))
    .filter((stream): stream is CorkableSocket => typeof property(stream, 'uncork') === 'function');
}

/**
 * Sends the calls of one turn in one packet to each node. node-redis and GLIDE do so themselves; ioredis and iovalkey write each
 * call by itself, also in a cluster.
 */
export function inPipeline(client: ValkeyClient, store: StoreClient): StoreClient {
  if (typeof property(client, 'defineCommand') !== 'function') return store;
  let waiting: (() => void)[] = [];
  const flush = (): void => {
    const calls = waiting;
    waiting = [];
    const connections = connectionsOf(client);
    for (const connection of connections) connection.cork();
    for (const call of calls) call();
    for (const connection of connections) connection.uncork();
  };
  return {
    eval: (script, key, args) => store.eval(script, key, args),
    evalsha: (...call) =>
      new Promise((resolve) => {
        if (waiting.length === 0) queueMicrotask(flush);
        // A call that throws must not keep back the others.
        const send = async (): Promise<unknown> => store.evalsha(...call);
        waiting.push(() => resolve(send()));
      }),
  };
}
