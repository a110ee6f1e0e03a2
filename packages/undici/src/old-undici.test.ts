import { Agent, fetch, request } from 'undici6';
import { expect, test } from 'vitest';
import { ebbInterceptor } from './index.ts';

const message =
  'ebbInterceptor needs a dispatcher of undici 7 or 8, and was composed on one of undici 6 or older';

test.each([
  ['request', request],
  ['fetch', fetch],
] as const)('undici 6, by %s: an error names the version, and what is needed', async (how, send) => {
  const agent = new Agent();
  const dispatcher = agent.compose(ebbInterceptor() as never);
  const sent: Promise<unknown> = send('http://upstream.test/', { dispatcher });
  const error = await sent.then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  const own = how === 'fetch' ? error?.cause : error;
  expect(own).toMatchObject({ name: 'TypeError', message, cause: { code: 'UND_ERR_INVALID_ARG' } });
  await agent.destroy();
});
