import type { Readable } from 'node:stream';
import { type BuildOptions, build } from 'esbuild';

interface Settings {
  readonly compatibilityDate: string;
  readonly compatibilityFlags?: string[];
  readonly durableObjects?: Record<string, string>;
  /** What its requests get, in place of an answer from the network. */
  readonly outboundService?: (request: { readonly url: string }) => never;
}

/** A running worker. */
export interface Worker extends AsyncDisposable {
  /** The text of its answer. @param job the body of a POST, as JSON */
  ask(path: string, job?: object): Promise<string>;
}

/** Bundles a worker as wrangler does. */
export async function bundled(entry: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['@ebb/source', 'workerd', 'worker', 'browser'],
    ...entry,
  });
  return outputFiles?.[0]?.text ?? '';
}

/** Bundles a worker, and starts it. */
export async function startWorker(entry: BuildOptions, settings: Settings): Promise<Worker> {
  const script = await bundled(entry);
  const { Miniflare } = await import('miniflare');
  const worker = new Miniflare({
    ...settings,
    modules: true,
    script,
    // As in workerd.ts.
    cf: false,
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => void [stdout.resume(), stderr.resume()],
  });
  await worker.ready;
  return {
    async ask(path, job) {
      const init = job === undefined ? {} : { method: 'POST', body: JSON.stringify(job) };
      return (await worker.dispatchFetch(`http://ebb.test/${encodeURI(path)}`, init)).text();
    },
    [Symbol.asyncDispose]: () => worker.dispose(),
  };
}
