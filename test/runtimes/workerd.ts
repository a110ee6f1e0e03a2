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

/** The program that miniflare starts. Resolving it throws on a platform that it does not support. */
function program(): string {
  try {
    return createRequire(require.resolve('miniflare'))('workerd').default;
  } catch {
    return 'workerd';
  }
}

/** The runtime of Cloudflare Workers, without Node compatibility. The runner is a worker that receives each job. */
export const workerd: Startable = {
  name: 'workerd',
  missing: missing(program()),
  async start(client) {
    const { Miniflare } = await import('miniflare');
    const worker = new Miniflare({
      modules: true,
      script: await bundle(client, PROGRAM, 'worker'),
      compatibilityDate: '2026-07-01',
      // Otherwise miniflare downloads sample data for `request.cf` from Cloudflare.
      cf: false,
      // workerd logs every error of a worker, and these errors are expected.
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
