// Moves the project to another repository: rewrites its address in every tracked file. The root package.json has it.
//   pnpm -C test/packed run home OWNER/NAME
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { homeOf } from './release/home.ts';

const [next] = process.argv.slice(2);
if (next === undefined || !/^[\w-]+\/[\w.-]+$/.test(next))
  throw new RangeError(`home: OWNER/NAME, got ${next}`);
const { repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const [owner = '', name = ''] = homeOf(repository.url).split('/');
const [nextOwner = '', nextName = ''] = next.split('/');

// The site of a project stands at OWNER.github.io/NAME.
const moves: readonly (readonly [from: string, to: string])[] = [
  [`github.com/${owner}/${name}`, `github.com/${nextOwner}/${nextName}`],
  [`${owner}.github.io/${name}`, `${nextOwner}.github.io/${nextName}`],
  [owner, nextOwner],
];
for (const path of execFileSync('git', ['grep', '--files-with-matches', '--', owner], { encoding: 'utf8' })
  .trim()
  .split('\n')) {
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    moves.reduce((moved, [from, to]) => moved.replaceAll(from, to), text),
  );
}
