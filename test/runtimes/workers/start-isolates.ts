import type { Readable } from 'node:stream';
import type { DurableBucketOptions } from '@ebb/workers';
import { bundled } from './start.ts';

/** Isolates that share a bucket in a Durable Object. */
export interface Isolates extends AsyncDisposable {
  /** What a request to an isolate answers. */
  ask<T>(isolate: number, path: string): Promise<T>;
  /** What the object answers to a command of bucket-object.ts. */
  command(name: string): Promise<string>;
  /** What the runtime has logged. */
  readonly log: () => string;
}

type Options = Omit<DurableBucketOptions, 'object' | 'waitUntil'>;

export async function startIsolates(count: number, options: Options): Promise<Isolates> {
  const [object, isolate] = await Promise.all([
    bundled({ entryPoints: [new URL('bucket-object.ts', import.meta.url).pathname] }),
    bundled({
      entryPoints: [new URL('isolate.ts', import.meta.url).pathname],
      external: ['cloudflare:workers'],
      define: { OPTIONS: JSON.stringify(options) },
    }),
  ]);
  const { Miniflare } = await import('miniflare');
  let log = '';
  const BUCKET = { className: 'TestObject', scriptName: 'object', useSQLite: true };
  const shared = { modules: true, compatibilityDate: '2026-07-01', durableObjects: { BUCKET } };
  const runtime = new Miniflare({
    cf: false,
    handleRuntimeStdio: (...streams: Readable[]) => {
      for (const stream of streams)
        stream.on('data', (data) => {
          log += data;
        });
    },
    workers: [
      { ...shared, name: 'object', script: object },
      ...Array.from({ length: count }, (_, at) => ({ ...shared, name: `isolate${at}`, script: isolate })),
    ],
  });
  await runtime.ready;
  const textOf = async (worker: string, path: string): Promise<string> => {
    const { fetch } = await runtime.getWorker(worker);
    return (await fetch(`http://ebb.test/${path}`)).text();
  };
  return {
    ask: async (at, path) => JSON.parse(await textOf(`isolate${at}`, path)),
    command: (name) => textOf('object', `bucket/${name}`),
    log: () => log,
    [Symbol.asyncDispose]: () => runtime.dispose(),
  };
}
