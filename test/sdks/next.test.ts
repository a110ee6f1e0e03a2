import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';

interface Result {
  readonly statuses: readonly number[];
  readonly sent: number;
}

let results: Record<string, Result>;

beforeAll(async () => {
  const conditions = ['--conditions=react-server', '--conditions=@ebb/source'];
  const program = join(import.meta.dirname, 'next-render.ts');
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(process.execPath, [...conditions, program], { env });
  results = JSON.parse(stdout);
});

/** Two answers of 503, then a 200: the statuses that the calls of one render got, and how many requests were sent. */
const rows: Record<string, Result> = {
  // Why ebb has to do something about it.
  'Next.js alone': { statuses: [503, 503, 503], sent: 1 },
  'Next.js alone, with its cache rules': { statuses: [503, 503, 503], sent: 1 },
  'Next.js alone, a Request with a signal': { statuses: [503, 503, 200], sent: 3 },
  'Next.js alone, a Request with a signal, with its cache rules': { statuses: [503, 503, 503], sent: 1 },
  ...Object.fromEntries(
    ['a URL', 'no-store', 'revalidate', 'a Request', 'a Request and next'].flatMap((name) => [
      [`ebb, ${name}`, { statuses: [200], sent: 3 }],
      [`ebb, ${name}, with its cache rules`, { statuses: [200], sent: 3 }],
    ]),
  ),
  // The second call gets the response of the first attempt of the first, and retries it once.
  'ebb, two places': { statuses: [200, 200], sent: 4 },
  'ebb, two places, with its cache rules': { statuses: [200, 200], sent: 4 },
  // What Next.js shares on purpose stays shared.
  'ebb, a good answer at two places': { statuses: [200, 200], sent: 1 },
  'ebb, a good answer at two places, with its cache rules': { statuses: [200, 200], sent: 1 },
};

describe('in a server component', () => {
  test.each(Object.entries(rows))('%s', (name, expected) => {
    expect(results[name]).toEqual(expected);
  });

  test('every row is expected', () => {
    expect(Object.keys(results).sort()).toEqual(Object.keys(rows).sort());
  });
});
