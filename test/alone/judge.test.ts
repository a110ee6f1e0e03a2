import { expect, test } from 'vitest';
import { judge } from './judge.ts';

async function judged(rows: string): Promise<[code: number, said: string]> {
  const lines: string[] = [];
  const code = await judge({ wrong: './adapters/wrong.ts' }, rows, (line) => lines.push(line), 100);
  return [code, lines.join('\n')];
}

test('a client that is wrong fails: it skips a retry, keeps its program open, warns, or ends it', async () => {
  const [code, said] = await judged(', 503');
  expect(code).toBe(1);
  expect(said).toMatch(/^wrong › PUT, 503\n {2}delays: expected \[1000\], got \[\]$/m);
  expect(said).toMatch(/^wrong › DELETE, 503\n {2}the program does not end; open: .*Timeout/m);
  expect(said).toMatch(/^wrong › PATCH, 503\n {2}.*Warning: a warning/m);
  expect(said).toMatch(/^wrong › POST, 503\n {2}the program ended before the row did$/m);
  for (const method of ['PUT', 'DELETE', 'PATCH', 'POST'])
    expect(said).toContain(`failed: wrong › ${method}, 503`);
});

test('a row that is right passes, and one that no client has fails', async () => {
  expect(await judged('404')).toEqual([0, expect.stringContaining('wrong: 1 rows')]);
  expect(await judged('4O4')).toEqual([1, expect.stringContaining('no client has a row "4O4"')]);
});
