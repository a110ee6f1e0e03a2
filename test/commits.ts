// Lists the commits that change more than 100 lines and say nothing below their subject.
// Run: pnpm check commits [--range origin/main..HEAD]
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { range: { type: 'string', default: 'origin/main..HEAD' } } });
const LINES = 100;
/** Files that a program writes. */
const GENERATED = [
  '**/*.svg',
  '**/pnpm-lock.yaml',
  'docs/api/**',
  'docs/figures.md',
  'docs/ports.md',
  'docs/sdks.md',
];

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' });

/** The lines that a commit adds and removes. Git prints both in front of each file, and `-` for one that is not text. */
function changedLines(commit: string): number {
  const others = GENERATED.map((path) => `:(exclude,glob)${path}`);
  const files = git('show', '--numstat', '--format=', commit, '--', '.', ...others).matchAll(
    /^(\d+)\t(\d+)/gm,
  );
  return [...files].reduce((lines, [, added, removed]) => lines + Number(added) + Number(removed), 0);
}

const commits = git('rev-list', '--no-merges', values.range).split('\n').filter(Boolean);
const silent = commits.filter(
  (commit) => git('show', '--no-patch', '--format=%b', commit).trim() === '' && changedLines(commit) > LINES,
);
for (const commit of silent) console.log(git('show', '--no-patch', '--format=%h %s', commit).trim());
console.log(
  `${commits.length} commits, ${silent.length} of more than ${LINES} lines without a body that says why`,
);
process.exitCode = silent.length === 0 ? 0 : 1;
