import { property } from '@ebb/core/bucket';
import type { StoreClient, ValkeyClient } from './store-client.ts';

type Reply = [error: Error | null, reply: unknown];

/** The pipeline of ioredis and iovalkey. */
interface Pipeline {
  evalsha(sha1: string, keys: number, ...rest: string[]): Pipeline;
  exec(): Promise<Reply[]>;
}

interface Waiting {
  readonly args: [sha1: string, keys: number, ...rest: string[]];
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends the calls of one turn together. node-redis and GLIDE do so themselves, and a cluster client sends each call to the node of
 * its key.
 */
export function pipelined(client: ValkeyClient, store: StoreClient): StoreClient {
  const isCluster = typeof property(client, 'nodes') === 'function';
  if (isCluster || typeof property(client, 'pipeline') !== 'function') return store;
  const { pipeline } = client as unknown as { pipeline: () => Pipeline };
  let waiting: Waiting[] = [];
  const flush = async (): Promise<void> => {
    const calls = waiting;
    waiting = [];
    try {
      const line = pipeline.call(client);
      for (const { args } of calls) line.evalsha(...args);
      const replies = await line.exec();
      for (const [at, { resolve, reject }] of calls.entries()) {
        const [error, reply] = replies[at] as Reply;
        if (error === null) resolve(reply);
        else reject(error);
      }
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  };
  return {
    eval: (script, key, args) => store.eval(script, key, args),
    evalsha: (sha1, key, args) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) queueMicrotask(() => void flush());
        waiting.push({ args: [sha1, 1, key, ...args], resolve, reject });
      }),
  };
}
