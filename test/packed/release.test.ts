import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { execToEnd } from './exec.ts';
import { checkContents } from './release/contents.ts';
import { checkEntries } from './release/entries.ts';
import { checkFields, checkTag, type Run } from './release/fields.ts';
import { leftBefore, moveAddress } from './release/home.ts';
import { type Manifest, type Packed, packedAt } from './release/packed.ts';
import { PAGES, runProgram } from './release/programs.ts';
import { firstProgramOf, usersEnv } from './release/project.ts';
import { tagOf } from './release/publish.ts';
import type { Result } from './release/result.ts';
import { checkProgramSizes, checkSizes, recordedSizes } from './release/sizes.ts';
import { checkBySuite } from './release/suite.ts';
import { checkVersions, publicationOf } from './release/versions.ts';

const root = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');
const project = JSON.parse(read('package.json'));
const packed = Object.values(inject('tarballs')).map(packedAt);
const problemsOf = (results: readonly Result[]): string[] => results.flatMap(({ problems }) => problems);

/** The package of core after a change to its files. */
function changed(name: string, change: (folder: string) => void): Packed {
  const home = join(inject('folder'), name);
  const folder = join(home, 'package');
  cpSync(join(inject('folder'), 'node_modules/@ebb/core'), folder, { recursive: true });
  change(folder);
  const path = join(home, 'changed.tgz');
  execFileSync('tar', ['-czf', path, '-C', home, 'package']);
  return packedAt(path);
}

/** A package whose package.json has other fields. */
function withFields(fields: Partial<Manifest>): Packed {
  const [first] = packed;
  if (first === undefined) throw new Error('nothing is packed');
  return { ...first, manifest: { ...first.manifest, ...fields } };
}

describe('the packages as they are pass', () => {
  test('version', () => expect(checkVersions(packed, read('CHANGELOG.md')).problems).toEqual([]));
  test('files', () => expect(problemsOf(checkContents(packed))).toEqual([]));
  test('provenance', () => expect(problemsOf(checkFields(packed, project))).toEqual([]));
  test('exports', async () => expect(problemsOf(await checkEntries(packed))).toEqual([]));
});

describe('a release is refused', () => {
  test('for a version without a section in CHANGELOG.md', () => {
    const { problems } = checkVersions(packed, '# Changelog\n\n## Unreleased\n');
    expect(problems).toEqual([expect.stringMatching(/^CHANGELOG.md has no section \d/)]);
  });

  test('but not for a pre-release of a version that has one, which gets a tag of its own', () => {
    const candidate = packed.map((one) => ({ ...one, manifest: { ...one.manifest, version: '0.1.0-rc.1' } }));
    expect(checkVersions(candidate, '## 0.1.0\n').problems).toEqual([]);
    expect([tagOf('0.1.0-rc.1'), tagOf('0.1.0')]).toEqual(['rc', 'latest']);
  });

  test('until the repository has an address', () => {
    expect(leftBefore('git+https://github.com/ebb-placeholder/ebb.git')).toHaveLength(1);
    expect(leftBefore('git+https://github.com/an-owner/ebb.git')).toEqual([]);
    expect(() => leftBefore('https://example.com')).toThrow(TypeError);
    const text = 'https://github.com/ebb-placeholder/ebb/issues, https://ebb-placeholder.github.io/ebb/';
    const there = 'https://github.com/you/retry/issues, https://you.github.io/retry/';
    expect(moveAddress(text, 'ebb-placeholder/ebb', 'you/retry')).toBe(there);
  });

  test('for different versions', () => {
    const { problems } = checkVersions([...packed, withFields({ version: '9.9.9' })], '## 0.1.0\n## 9.9.9\n');
    expect(problems).toEqual([expect.stringMatching(/^the packages have different versions: .*9\.9\.9$/)]);
  });

  test('without a package', () => {
    expect(checkVersions([], read('CHANGELOG.md')).problems).toEqual(['no package was packed']);
  });

  test('for an entry without code, and for one without types', async () => {
    const noCode = changed('no-code', (folder) => rmSync(join(folder, 'dist/cjs/adapter.js')));
    expect(problemsOf(await checkEntries([noCode]))).toContainEqual(
      expect.stringMatching(/exports\["\.\/adapter"\].* file does not exist/),
    );
    const noTypes = changed('no-types', (folder) => rmSync(join(folder, 'dist/types/bucket.d.cts')));
    expect(problemsOf(await checkEntries([noTypes]))).toContainEqual(
      expect.stringMatching(/^are-the-types-wrong: .*"\.\/bucket"/),
    );
  });

  test('for a missing paper, a source, and a file that no entry needs', () => {
    const core = changed('contents', (folder) => {
      rmSync(join(folder, 'LICENSE'));
      mkdirSync(join(folder, 'src'));
      writeFileSync(join(folder, 'src/index.ts'), '');
      writeFileSync(join(folder, 'dist/old.js'), '');
    });
    expect(problemsOf(checkContents([core]))).toEqual([
      'LICENSE is missing',
      'src/index.ts must not be published',
      'dist/old.js is reached by no entry',
    ]);
  });

  test('for a link of a README that leads nowhere', () => {
    const page = project.repository.url.replace(/^git\+(.+)\.git$/, '$1');
    const core = changed('links', (folder) => {
      const links = [
        '#none',
        'docs/none.md',
        `${page}/blob/main/docs/index.md#none`,
        `${page}/tree/main/none`,
      ];
      const text = links.map((link) => `[link](${link})\n`).join('');
      writeFileSync(join(folder, 'README.md'), `${text}[link][none]\n`);
    });
    expect(problemsOf(checkContents([core]))).toEqual([
      'README.md links to #none: no such anchor',
      'README.md links to docs/none.md: not in the package',
      `README.md links to ${page}/blob/main/docs/index.md#none: no such anchor`,
      `README.md links to ${page}/tree/main/none: no such file`,
      'README.md does not define the link [none]',
    ]);
  });

  test('for fields that provenance contradicts', () => {
    const elsewhere = {
      type: 'git',
      url: 'git+https://github.com/else/where.git',
      directory: 'packages/else',
    };
    const fields = { repository: elsewhere, publishConfig: { access: 'restricted' } };
    const { name } = packed[0]?.manifest ?? {};
    expect(problemsOf(checkFields([withFields(fields)], project))).toEqual([
      `repository.url must be ${project.repository.url}, is ${elsewhere.url}`,
      `repository.directory must be packages/${name?.slice('@ebb/'.length)}, is packages/else`,
      'publishConfig.access must be public, is restricted',
      'publishConfig.provenance must be true, is undefined',
    ]);
    const dependencies = { '@ebb/core': 'workspace:^' };
    expect(problemsOf(checkFields([withFields({ dependencies })], project))).toEqual([
      'needs @ebb/core at workspace:^',
    ]);
  });

  test('for a tag in another repository, or of another version', () => {
    const { version } = packed[0]?.manifest ?? {};
    const [, GITHUB_REPOSITORY] = /github\.com\/(.+)\.git$/.exec(project.repository.url) ?? [];
    const tagged = { GITHUB_REPOSITORY: `${GITHUB_REPOSITORY}`, GITHUB_REF_TYPE: 'tag' };
    const check = (run: Run) => problemsOf(checkTag(packed, project, run));
    expect(check({ ...tagged, GITHUB_REF_NAME: `v${version}` })).toEqual([]);
    expect(check({ ...tagged, GITHUB_REF_NAME: 'v0', GITHUB_REPOSITORY: 'else/where' })).toEqual([
      `repository.url is ${project.repository.url}, not git+https://github.com/else/where.git`,
      `the tag must be v${version}`,
    ]);
    expect(check({ GITHUB_REF_TYPE: 'branch', GITHUB_REPOSITORY: 'fork/ebb' })).toEqual([]);
  });

  test('for a tarball or a bundle that grew, and for one whose size is not recorded', async () => {
    const some = packed.slice(0, 1);
    const [name = ''] = some.map(({ manifest }) => manifest.name);
    const { programs, packages } = recordedSizes();
    const before = packages[name];
    if (before === undefined) throw new Error(`no size of ${name} is recorded`);
    const times = (factor: number) =>
      Object.fromEntries(Object.entries(before).map(([what, size]) => [what, Math.floor(size * factor)]));
    const check = async (recorded: typeof packages) =>
      problemsOf(await checkSizes(some, inject('folder'), { programs, packages: recorded }));
    expect(await check({ [name]: times(0.5) })).toEqual(
      ['tarball', 'web bundle', 'Node bundle'].map((what) =>
        expect.stringMatching(new RegExp(`^the ${what} grew from .*--dry-run --update size\` records it$`)),
      ),
    );
    expect(await check({})).toHaveLength(3);
    expect(await check({ [name]: times(2) })).toEqual([]);
  });

  test('for a program of a user that grew', async () => {
    const { packages, programs } = recordedSizes();
    const half = Object.fromEntries(
      Object.entries(programs).map(([name, { 'web bundle': web = 0, ...rest }]) => {
        return [name, { ...rest, 'web bundle': Math.floor(web / 2) }];
      }),
    );
    const problems = problemsOf(await checkProgramSizes(inject('folder'), { packages, programs: half }));
    expect(problems.filter((problem) => problem.startsWith('the web bundle grew from '))).toHaveLength(
      Object.keys(programs).length,
    );
  });

  test('for a page whose first program fails, does not retry, prints something else, or is missing', async () => {
    const run = async (page: string, code?: string, prints?: string) =>
      (await runProgram(page, code === undefined ? undefined : { code, prints }, inject('folder'))).problems;
    const { code = '', prints } = firstProgramOf('README.md') ?? {};
    expect(prints).toBeDefined();
    expect(await run('as it is', code, prints)).toEqual([]);
    expect(await run('does not retry', code.replace('maxRetries: 3', 'maxRetries: 0'), prints)).toEqual([
      'sent one request, and did not retry after its 503',
      expect.stringMatching(/^printed\n\[ 503 \]\n/),
    ]);
    expect(await run('throws', `${code}throw new SyntaxError();`)).toEqual([
      expect.stringContaining('SyntaxError'),
    ]);
    expect(await run('plain', 'await fetch(process.env.UPSTREAM_URL)')).toEqual([
      'sent one request, and did not retry after its 503',
    ]);
    expect(await run('missing')).toEqual(['has no block of TypeScript']);
  });
});

describe('a release runs the tests of the packed packages', () => {
  const empty = join(inject('folder'), 'no-packages');
  mkdirSync(empty);

  test.concurrent('and is refused if one fails', async () => {
    const [result] = await checkBySuite(empty, 'register');
    expect(result).toMatchObject({
      subject: 'node --import',
      figure: expect.stringMatching(/^0 of \d+ pass$/),
    });
    expect(result?.problems).not.toEqual([]);
  });

  test.concurrent('and is refused if there are none', async () => {
    expect(problemsOf(await checkBySuite(empty, 'no-such-test'))).toEqual([
      'the run failed, although no test did',
    ]);
  });
});

test('every package has a page whose first program is run', () => {
  expect(PAGES).toHaveLength(packed.length + 1);
});

test('a package is published after those that it needs', () => {
  const names = publicationOf(packed.toReversed()).map(({ name }) => name);
  expect(names[0]).toBe('@ebb/core');
  expect(names.toSorted()).toEqual(packed.map(({ manifest }) => manifest.name).toSorted());
  const circle = ['a', 'b'].map((name, index) =>
    withFields({ name, dependencies: { [`${'ba'[index]}`]: '1' } }),
  );
  expect(() => publicationOf(circle)).toThrow('a, b depend on each other');
});

describe('the release script', () => {
  const { path = '' } = packed[0] ?? {};

  /** Runs a program with a `pnpm` that only logs its arguments. */
  async function run(name: string, ...args: string[]) {
    const bin = join(inject('folder'), name);
    const log = join(bin, 'log');
    mkdirSync(bin);
    writeFileSync(join(bin, 'pnpm'), `#!/bin/sh\necho "$@" >> ${log}\n`);
    chmodSync(join(bin, 'pnpm'), 0o755);
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
    const output = await execToEnd(process.execPath, args, { env });
    return { ...output, published: existsSync(log) ? readFileSync(log, 'utf8') : '' };
  }

  const release = (name: string, folder: string, ...args: string[]) =>
    run(name, join(import.meta.dirname, 'release.ts'), '--packed', folder, ...args);

  test.concurrent('publishes nothing in a dry run, and says what it would publish', async () => {
    const { code, stdout, published } = await release('dry', dirname(path), '--dry-run', 'version', 'files');
    expect(stdout).toMatch(/^version +all packages +[\d.]+ +ok$/m);
    expect(stdout).toMatch(/in this order:\n {2}@ebb\/core \d/);
    expect(stdout).toContain(`${packed.length + 1} passed, 0 failed.\nDry run: nothing was published.`);
    expect([code, published]).toEqual([0, '']);
  });

  test.concurrent('fails if a check does', async () => {
    const folder = join(inject('folder'), 'refused');
    mkdirSync(folder);
    const { code, stdout } = await release('failing', folder, '--dry-run', 'version');
    expect(stdout).toMatch(/FAILED\n {4}no package was packed$/m);
    expect(code).toBe(1);
  });

  test.concurrent('does not publish after some of the checks', async () => {
    const { code, stderr, published } = await release('some', dirname(path), 'version');
    expect(stderr).toContain('a release runs every check');
    expect([code, published]).toEqual([1, '']);
  });

  const program = `import { publish } from '${join(import.meta.dirname, 'release/publish.ts')}';
    process.exitCode = publish();`;

  test.concurrent('publishes all packages with pnpm, with provenance', async () => {
    const { published } = await run('real', '--input-type=module', '--eval', program);
    expect(published).toBe(
      'publish --recursive --filter ./packages/* --provenance --no-git-checks --tag latest\n',
    );
  });

  test.concurrent('gets a token for a package by the identity of the workflow, and needs no other', async () => {
    const claims = { aud: 'npm:registry', exp: Math.ceil(Date.now() / 1_000) + 600 };
    const identity = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(claims))}.x`.replace(/=/g, '');
    const requests: string[] = [];
    // The registry, and what gives a workflow of GitHub its identity, but for none that signs.
    const server = createServer(({ method, url = '', headers }, response) => {
      requests.push(`${method} ${url.replace(/\?.*/, '')} ${headers.authorization ?? 'no token'}`);
      const isIdentity = url.startsWith('/identity') && !url.includes('audience=sigstore');
      const isExchange = url.startsWith('/-/npm/v1/oidc/token/exchange/package/');
      response.writeHead(isIdentity ? 200 : isExchange ? 201 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isIdentity ? { value: identity } : isExchange ? { token: 'short' } : {}));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${Object(server.address()).port}/`;
    const HOME = join(inject('folder'), 'trusted');
    mkdirSync(HOME);
    writeFileSync(join(HOME, '.npmrc'), `registry=${url}\n`);
    const env = {
      ...usersEnv({ HOME, npm_config_userconfig: join(HOME, '.npmrc'), npm_config_registry: url }),
      ...{ GITHUB_ACTIONS: 'true', ACTIONS_ID_TOKEN_REQUEST_URL: `${url}identity?of=run` },
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-run',
    };
    const args = ['--input-type=module', '--eval', program];
    const { code, stderr } = await execToEnd(process.execPath, args, { env });
    server.close();
    // What is not signed is not published.
    expect(stderr).toMatch(/ERR_PNPM_(PROVENANCE|ID_TOKEN)/);
    expect(code).toBe(1);
    expect(requests).toContain('GET /identity Bearer of-the-run');
    expect(requests).toContainEqual(
      expect.stringMatching(/^POST \/-\/npm\/v1\/oidc\/token\/exchange\/package\/@ebb%2f\w+ /i),
    );
    expect(requests.filter((request) => request.startsWith('POST '))).toContainEqual(
      expect.stringMatching(new RegExp(` Bearer ${identity.replaceAll('.', '\\.')}$`)),
    );
    expect(requests.filter((request) => request.startsWith('PUT '))).toEqual([]);
  });
});
