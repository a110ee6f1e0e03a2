import { expect, test } from 'vitest';
import { withProgram } from './play.ts';

/** What is wrong in a row of `faulty.ts`, and how long its program may take if that is what is wrong. */
const ROWS = [
  ['200', /^the row is not over after 500 ms; open: .*TCPServerWrap/, { rowMs: 500, endMs: 50_000 }],
  ['404', /^the program does not end; open: .*Timeout/, { rowMs: 50_000, endMs: 100 }],
  ['503, then 200', /^delays: expected \[1000\], got \[\]/],
  ['a refused connection', /the program ended before the row did/],
  ['a response before the upload is complete', /no one handles this/],
  ['204', /^$/],
] as const;

test('a process of its own shows what is wrong in its row', async () => {
  await withProgram('./faulty.ts', async ({ packages, play }) => {
    expect(packages).toEqual(['core', 'fetch', 'providers', 'testing']);
    for (const [row, wrong, patience] of ROWS)
      expect((await play(row, patience)).join('\n'), row).toMatch(wrong);
  });
});
