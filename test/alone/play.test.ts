import { expect, test } from 'vitest';
import { type Played, playAll, withProgram } from './play.ts';

const FOUND = {
  '200': expect.stringMatching(/^the row is not over after 1500 ms; open: .*TCPServerWrap/),
  '404': expect.stringMatching(/^the program does not end; open: .*Timeout/),
  '503, then 200': expect.stringMatching(/^delays: expected \[1000\], got \[\]/),
  'a refused connection': expect.stringContaining('the program ended before the row did'),
  'a response before the upload is complete': expect.stringContaining('no one handles this'),
  '204': '',
};

test('a process of its own shows what is wrong in its row', async () => {
  const played: Played[] = [];
  const patience = { rowMs: 1_500, endMs: 300 };
  const packages = await withProgram('./faulty.ts', patience, async (program) => {
    await playAll('faulty', program, Object.keys(FOUND), (row) => played.push(row));
    return program.packages;
  });
  expect(packages).toEqual(['core', 'fetch']);
  expect(Object.fromEntries(played.map(({ row, wrong }) => [row, wrong.join('\n')]))).toEqual(FOUND);
});
