import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { upstream } from './server.ts';

/** Sends requests, two of them through one token, and prints the types of events that something listens to. */
const PROGRAM = `
  import diagnostics from 'node:diagnostics_channel';
  import { adaptiveThrottle, constant, tokenBucket } from '@ebb/core';
  import { createFetch } from '@ebb/fetch';
  // Another copy of core, which shares the channels, prints nothing twice.
  import '../packages/core/src/events/channels.ts?copy';
  const url = process.env.UPSTREAM_URL;
  const headers = { authorization: 'SECRET' };
  await createFetch({ backoff: constant(10) })(url + 'things?key=SECRET', { headers });
  const bucket = tokenBucket({ capacity: 1, initialTokens: 0, refillPerSecond: 20 });
  await createFetch({ bucket })(url);
  const held = adaptiveThrottle({ whenSkipped: 'fail' });
  held.isolate();
  await createFetch({ throttle: held })(url).catch(() => undefined);
  console.log(diagnostics.hasSubscribers('ebb:attempt'));
`;

async function run(NODE_DEBUG?: string): Promise<{ readonly lines: string[]; readonly isHeard: boolean }> {
  const server = await upstream([{ status: 503 }, { status: 200 }]);
  const { NODE_DEBUG: _, ...others } = process.env;
  const env = { ...others, UPSTREAM_URL: server.url, ...(NODE_DEBUG !== undefined && { NODE_DEBUG }) };
  const args = ['--conditions=@ebb/source', '--input-type=module', '--eval', PROGRAM];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    env,
    cwd: import.meta.dirname,
  });
  await server.close();
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(server.url, 'URL/'));
  return { lines: lines.filter((line) => line !== ''), isHeard: stdout.trim() === 'true' };
}

test('NODE_DEBUG=ebb prints a line for each event, without secrets', async () => {
  const { lines } = await run('ebb');
  const start = /^EBB \d+: \d\d:\d\d:\d\d\.\d{3} {2}GET URL\/(\S*) +/;
  expect(lines.filter((line) => !start.test(line))).toEqual([]);
  const told = lines.map((line) =>
    line
      .replace(start, '/$1 ')
      .replace(/ {2,}/g, ' | ')
      .replace(/Ms=\d[\d.]*/g, 'Ms=…'),
  );
  const refused = 'type=response status=503';
  const good = 'reason=success type=response status=200';
  expect(told).toEqual([
    '/things 1 | attempt',
    `/things 1 | retry | delayMs=… reason=transient ${refused}`,
    '/things 2 | attempt',
    `/things 2 | end | ${good}`,
    '/ 0 | wait | waitedMs=… slotMs=…',
    '/ 1 | attempt',
    `/ 1 | end | ${good}`,
    '/ 0 | throttle | state=open level=0 class=GET URL/ failures= retryAllowance=reserve',
    '/ 0 | attempt-skipped',
    '/ 0 | end | reason=overload name=NotSentError reason=overload',
  ]);
});

test.each([undefined, 'http'])('without it nothing is printed, and nothing listens: %s', async (names) => {
  const { lines, isHeard } = await run(names);
  expect(lines.filter((line) => /EBB/.test(line))).toEqual([]);
  expect(isHeard).toBe(false);
});
