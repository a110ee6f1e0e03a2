import { afterEach } from 'vitest';
import { type Step, type Upstream, upstream } from './server.ts';

const opened: Upstream[] = [];

/** Starts a scripted upstream, which is closed after the test. */
export async function serve(...script: Step[]): Promise<Upstream> {
  const server = await upstream(script);
  opened.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});
