import { expect, test } from 'vitest';
import { STUDIES } from '../studies/studies.ts';
import { ebbSim } from './run.ts';

test.each([[[]], [['--help']], [['-h', 'aws']]])('%j prints the help, within 80 columns', async (args) => {
  let out = '';
  const stdout = { write: (text: string) => (out += text) };
  const stderr = { isTTY: false as never, write: () => expect.fail('it has complained') };
  expect(await ebbSim(args, { stdout, stderr })).toBe(0);
  for (const { name } of STUDIES) expect(out).toContain(`  ${name} `);
  for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
});
