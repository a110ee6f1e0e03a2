// Plays programs of other libraries beside their ports to ebb.
import './half.ts';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fakeTime } from '../migration/fake-time.ts';
import { difference } from './difference.ts';
import { COUNTS, page } from './page.ts';
import { SCRIPTS } from './scripts.ts';
import { PORTS } from './table.ts';
import { playTo } from './world.ts';

describe.each(Object.entries(PORTS))('%s', (_, rows) => {
  fakeTime();

  test.each(rows.map((port) => [port.shape, port] as const))('%s', async (_shape, port) => {
    const found: Record<string, string> = {};
    for (const [name, script] of Object.entries(SCRIPTS)) {
      const [original, ebb] = [await playTo(port.original, script), await playTo(port.ebb, script)];
      const how = difference(original, ebb, script);
      if (how !== undefined) found[name] = how;
      // An end that no script brings about is a mistake in the program.
      expect(JSON.stringify([name, original.end, ebb.end])).not.toMatch(/Error|undefined|never/);
    }
    const named = port.differs?.in ?? [];
    expect(found).toEqual(Object.fromEntries(named.map((name) => [name, expect.any(String)])));
  });
});

test('docs/ports.md has a row for each', async () => {
  await expect(page()).toMatchFileSnapshot('../../docs/ports.md');
});

test('docs/coming-from.md has their number', () => {
  const { ports, alike, scripts } = COUNTS;
  expect(ports).toBeGreaterThanOrEqual(40);
  const text = readFileSync('docs/coming-from.md', 'utf8').replaceAll('\n', ' ');
  expect(text).toContain(`${alike} of ${ports} programs do the same with ebb in all of ${scripts} scripts`);
});
