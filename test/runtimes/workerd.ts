import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { bundle } from './bundle.ts';
import { missing } from './command.ts';
import type { Startable } from './runtime.ts';

const PROGRAM = `
  export default {
    async fetch(request) {
      return Response.json(await perform(...(await request.json())));
    },
  };`;

const require = createRequire(import.meta.url);

/** The program that miniflare starts. To look for it throws on a system that it is not built for. */
function program(): string {
  try {
    return createRequire(require.resolve('miniflare'))('workerd').default;
  } catch {
    return 'workerd';
  }
}

/** The runtime of Cloudflare's workers, without its Node compatibility: the runner is a worker that is asked. */
export const workerd: Startable = {
  name: 'workerd',
  missing: missing(program()),
  async start() {
    const { Miniflare } = await import('miniflare');
    const worker = new Miniflare({
      modules: true,
      script: await bundle(PROGRAM),
      compatibilityDate: '2026-07-01',
      // A stand-in for what Cloudflare tells of a request would be fetched from there.
      cf: false,
      // It logs each error that a worker meets, which is what this is about.
      handleRuntimeStdio: (stdout: Readable, stderr: Readable) => void [stdout.resume(), stderr.resume()],
    });
    return {
      async perform(job, input) {
        const body = JSON.stringify([job, input]);
        const response = await worker.dispatchFetch('http://ebb.test/', { method: 'POST', body });
        if (!response.ok) throw new Error(await response.text());
        return (await response.json()) as never;
      },
      [Symbol.asyncDispose]: () => worker.dispose(),
    };
  },
};
