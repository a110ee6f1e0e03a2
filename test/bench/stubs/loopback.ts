import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Starts a server in another process, which ends with this one, and returns its address. */
export async function startServer(): Promise<string> {
  const server = spawn(process.execPath, ['--no-warnings', join(import.meta.dirname, 'server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  server.unref();
  server.channel?.unref();
  const [address] = (await once(server.stdout as NonNullable<typeof server.stdout>, 'data')) as [Buffer];
  return address.toString().trim();
}
