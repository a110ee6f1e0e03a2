import { Redis } from 'iovalkey';
import type { TestServer } from '../../../packages/valkey/test/server.ts';

/** The commands that a server has run: those that clients sent, and those inside of scripts. */
export interface Commands {
  readonly sent: number;
  readonly inside: number;
}

/** Returns what counts the commands since the last time that it was called. */
export async function commandCounter({ url }: TestServer): Promise<() => Promise<Commands>> {
  const client = new Redis(url);
  let last = await commandsOf(client);
  return async () => {
    const now = await commandsOf(client);
    const since = { sent: now.sent - last.sent, inside: now.inside - last.inside };
    last = now;
    return since;
  };
}

async function commandsOf(client: Redis): Promise<Commands> {
  const stats = await client.info('commandstats');
  const calls = new Map(
    [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name, count]) => [name, Number(count)]),
  );
  calls.delete('info');
  const sent = (calls.get('evalsha') ?? 0) + (calls.get('eval') ?? 0);
  return { sent, inside: [...calls.values()].reduce((sum, count) => sum + count, 0) - sent };
}
