import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHECKS } from '../checks.ts';
import { drawCase } from './case.ts';
import { Escapes } from './escapes.ts';
import { Examiner } from './examine.ts';
import { FOUND } from './found.ts';

test('a seed always draws the same case', () => {
  for (let seed = 0; seed < 200; seed += 1) expect(drawCase(seed)).toEqual(drawCase(seed));
  expect(new Set(Array.from({ length: 200 }, (_, seed) => JSON.stringify(drawCase(seed)))).size).toBe(200);
});

// In processes of their own: what escapes from a client would fail this one, also if the client does so without ebb.
test.concurrent.each([1, 1_001])(
  'the 200 cases from seed %i break no rule',
  async (seed) => {
    const [command = ''] = CHECKS.generate?.commands ?? [];
    const args = [...command.split(' ').slice(1), '--seed', String(seed), '--cases', '200'];
    const run = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    run.stdout.on('data', (part) => {
      said += part;
    });
    const [code] = await once(run, 'close');
    expect(code, said).toBe(0);
  },
  300_000,
);

describe('a case that has broken a rule breaks none', () => {
  const escapes = new Escapes();
  let examiner: Examiner;
  beforeAll(async () => {
    examiner = await Examiner.open(escapes);
  });
  afterAll(() => examiner.close());

  test.each(FOUND.map(({ what, case: of }) => [what, of] as const))('%s', async (_, of) => {
    // What depends on timing does not show each time.
    for (let left = 3; left > 0; left -= 1) expect(await examiner.look(of)).toEqual([]);
  });
});
