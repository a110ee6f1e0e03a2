// Moves the project to another repository: rewrites its address in every tracked file. The root package.json has it.
//   pnpm -C test/packed run home OWNER/NAME
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { homeOf, moveAddress } from './release/home.ts';

const [next] = process.argv.slice(2);
if (next === undefined || !/^[\w-]+\/[\w.-]+$/.test(next))
  throw new RangeError(`home: OWNER/NAME, got ${next}`);
const home = homeOf(JSON.parse(readFileSync('package.json', 'utf8')).repository.url);
const owner = home.replace(/\/.*/, '');
const paths = execFileSync('git', ['grep', '--files-with-matches', '--', owner], { encoding: 'utf8' });
for (const path of paths.trim().split('\n'))
  writeFileSync(path, moveAddress(readFileSync(path, 'utf8'), home, next));
