import { expect, test } from 'vitest';
import { migrate } from '../rules/migrate.ts';

test.each([
  "export type * from './a';",
  "export type * as all from './a';",
  "import defer * as a from './a';",
  "import source a from './a';",
  'interface A<in out T> {}',
  'interface A<T, out U> {}',
  'const a = <p>this & that && more</p>;',
  'const a = <p>Tom&Jerry</p>;',
  'const a = <a href="?b=1&c=2">d</a>;',
])('%s is understood, and stays as it is', (line) => {
  const before = `import pRetry from 'p-retry';\n${line}\npRetry(() => load());\n`;
  const { text, left } = migrate('a.tsx', before);
  expect(left).toEqual([]);
  expect(text).toContain(`\n${line}\n`);
});

test('four times as many calls take not much more than four times as long', () => {
  // The time of the processor: other processes may hold up this one.
  const timeOf = (count: number): number => {
    const calls = Array.from({ length: count }, (_, at) => `f(() => load(${at}), { retries: ${at} });\n`);
    const started = process.cpuUsage();
    expect(migrate('a.mjs', `import f from 'p-retry';\n${calls.join('')}`).rewritten).toBe(count);
    return process.cpuUsage(started).user;
  };
  timeOf(200);
  // In quadratic time it would be 16 times as long.
  expect(timeOf(1_600) / timeOf(400)).toBeLessThan(10);
});
