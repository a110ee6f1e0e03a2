import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly author: string;
  readonly repository: { readonly url: string };
}

const read = (path: string): string => readFileSync(path, 'utf8');
const manifestOf = (path: string): Manifest => JSON.parse(read(path));

const root = manifestOf('package.json');
const page = root.repository.url.replace(/^git\+(.+)\.git$/, '$1');
const packages = globSync('packages/*/package.json').map(
  (path) => [dirname(path), manifestOf(path)] as const,
);

describe('the organisation is named in the root package.json', () => {
  test.each(packages)('%s has the metadata that follows from it', (directory, manifest) => {
    expect(manifest).toMatchObject({
      author: root.author,
      homepage: `${page}/tree/main/${directory}#readme`,
      bugs: { url: `${page}/issues` },
      repository: { type: 'git', url: root.repository.url, directory },
    });
  });

  const papers = globSync(['*.md', '{docs,packages,examples}/**/*.md', '.github/**/*.{md,yml}'], {
    exclude: ['**/node_modules/**'],
  });
  test.each(papers)('%s links to no other organisation', (path) => {
    const links = read(path).match(/https:\/\/(?:raw\.githubusercontent|github)\.com\/[\w-]+\/ebb(?![\w-])/g);
    const raw = page.replace('github.com', 'raw.githubusercontent.com');
    for (const link of links ?? []) expect([page, raw]).toContain(link);
  });
});

describe('CHANGELOG.md', () => {
  const sections = [...read('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
  const [unreleased, ...released] = sections;

  test('starts with what is not released yet, then has a section for each version', () => {
    expect(unreleased).toBe('Unreleased');
    for (const heading of released) expect(heading).toMatch(/^\d+\.\d+\.\d+( \(\d{4}-\d\d-\d\d\))?$/);
    expect(released.map((heading) => heading.split(' ')[0])).toContain(packages[0]?.[1].version);
  });

  test('groups its entries by package, each group once in a version', () => {
    const names = new Set(['all packages', ...packages.map(([, { name }]) => name)]);
    for (const section of read('CHANGELOG.md').split(/^## /m).slice(1)) {
      const groups = [...section.matchAll(/^### (.+)$/gm)].map(([, group = '']) => group);
      expect(groups).toEqual([...new Set(groups)]);
      for (const name of groups.flatMap((group) => group.split(/, | and /))) expect(names).toContain(name);
    }
  });
});

describe('the workflows', () => {
  test('CI runs .ci/run, and so does a release before it publishes', () => {
    expect(read('.github/workflows/ci.yml')).toContain('- run: .ci/run\n');
    expect(read('.github/workflows/release.yml')).toMatch(
      /uses: .\/.github\/workflows\/ci.yml[\s\S]*needs: test/,
    );
  });

  const workflows = globSync('.github/workflows/*.yml');
  const release = read('.github/workflows/release.yml').split(/^ {2}(?=\w+:$)/m);

  /** What the workflows use, each with the file that names it. */
  const uses = workflows.flatMap((path) =>
    [...read(path).matchAll(/^ *(?:- )?uses: (.+)$/gm)].map(([, used = '']) => [path, used] as const),
  );

  // A tag can be moved, also by someone who has taken over an account.
  test.each(uses.filter(([, used]) => !used.startsWith('./')))(
    '%s uses %s: a commit, with its version in a comment',
    (_, used) => {
      expect(used).toMatch(/^[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
      const name = used.replace(/@.*/, '');
      const others = uses.filter(([, other]) => other.startsWith(`${name}@`)).map(([, other]) => other);
      expect(new Set(others)).toEqual(new Set([used]));
    },
  );

  test('run one version of pnpm', () => {
    const lines = [...workflows, '.ci/run'].flatMap((path) => read(path).split('\n'));
    const commands = lines.filter((line) => /^[^#]*\bp?np[mx]\b [^#]/.test(line));
    const versions = commands.map((command) => / npx -y pnpm@(\d+\.\d+\.\d+) /.exec(` ${command} `)?.[1]);
    expect(commands.length).toBeGreaterThan(5);
    expect(versions).not.toContain(undefined);
    expect(new Set(versions).size).toBe(1);
  });

  test('only the job that publishes has an identity, with which pnpm release signs, after a review', () => {
    const signing = release.filter((job) => job.includes('id-token: write'));
    expect(signing).toEqual([
      expect.stringMatching(
        /^publish:\n {4}needs: test\n[\s\S]*^ {4}environment: npm$[\s\S]*run: npx -y pnpm@\S+ release$/m,
      ),
    ]);
    expect(read('.github/workflows/release.yml')).toMatch(
      /^on:\n {2}push:\n {4}tags: \["v\*"\]\npermissions:\n {2}contents: read\n/m,
    );
  });

  test.each(workflows)('%s knows no secret: npm trusts the identity of the workflow', (path) => {
    expect(read(path)).not.toMatch(/secrets\b|_TOKEN|_authToken|\.npmrc/);
  });
});

test('the table of the examples has each of them once', () => {
  const files = globSync(['examples/*.ts', 'examples/*/main.ts']).map((path) => {
    return basename(path) === 'main.ts' ? basename(dirname(path)) : basename(path);
  });
  const rows = [...read('examples/README.md').matchAll(/^\| \[([\w.-]+)\]\(\1\) \| \w/gm)];
  expect(rows.map(([, name]) => name).sort()).toEqual(files.sort());
});

describe('comments', () => {
  const sources = globSync('packages/{core,fetch,axios,undici}/src/**/*.ts').filter(
    (path) => !/\.(test|bench|test-d)\.ts$/.test(path),
  );
  /** The text of each comment, on one line: a block, or line comments below one another. */
  const commentsOf = (path: string): string[] => {
    const found = read(path).matchAll(/\/\*\*?([\s\S]*?)\*\/|(?<=^|\s)\/\/ .*(?:\n\s*\/\/ .*)*/g);
    return [...found].map(([text]) =>
      text
        .replace(/\/\*\*?|\s*\*\/|^\s*(?:\*|\/\/)/gm, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    );
  };
  const hard = /^Of |\bwhat\b(?:(?![.!?] |@).)*?\bwhat\b/i;

  test.each([
    ['Of keys the new one goes first.', true],
    ['It takes what it needs, or says what is lacking.', true],
    ['It takes what it needs. What is lacking is returned.', false],
    ['The first of them.', false],
  ])('%s is hard to read: %s', (comment, isHard) => {
    expect(hard.test(comment)).toBe(isHard);
  });

  test('do not begin with "Of", and say "what" once in a sentence', () => {
    const found = sources.flatMap((path) => commentsOf(path).map((comment) => `${path}: ${comment}`));
    expect(found.length).toBeGreaterThan(1000);
    expect(found.filter((comment) => hard.test(comment.replace(/^\S+: /, '')))).toEqual([]);
  });
});
