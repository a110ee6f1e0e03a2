import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { usersEnv } from '../packed/release/project.ts';
import { serve } from '../serve.ts';
import type { Upstream } from '../server.ts';

/** Of a user whose first Node is that of this process. */
export function envOf(upstream?: Upstream): NodeJS.ProcessEnv {
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const url = upstream === undefined ? {} : { UPSTREAM_URL: upstream.url };
  // Metro keeps caches among temporary files.
  return usersEnv({ PATH, TMPDIR: inject('project'), NEXT_TELEMETRY_DISABLED: '1', ...url });
}

/** What a run of Node in the project prints. */
export async function printed(args: readonly string[], upstream?: Upstream): Promise<string> {
  const options = { cwd: inject('project'), env: envOf(upstream) };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  return stdout;
}

/** An upstream that responds with 503 to the first request of each client, and with 200 to the second, also to pages of other sites. */
export function failingOnce(...clients: readonly string[]): Promise<Upstream> {
  const headers = { 'access-control-allow-origin': '*' };
  return serve(...clients.flatMap(() => [503, 200].map((status) => ({ status, headers }))));
}

/** What the clients print then. */
export function retried(...clients: readonly string[]): string {
  return clients.map((name) => `${name} 1 503 transient\n${name} 2 200 success\n`).join('');
}
