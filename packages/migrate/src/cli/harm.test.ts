import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CLIENT, REQUEST, run, Scratch } from '../../test/scratch.ts';
import { writeAll } from './write.ts';

const COMMANDS = 'npm install @ebb/compat @ebb/core\nnpm uninstall p-retry\n';
let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => {
  vi.unstubAllEnvs();
  scratch.remove();
});

const write = (name: string, text: string | Buffer): string => scratch.write(name, text);
const textOf = (path: string): string => readFileSync(path, 'utf8');

describe('files that are not UTF-8', () => {
  test.each([
    ['Latin-1', Buffer.from(`// é\n${CLIENT}`, 'latin1')],
    ['UTF-16', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(CLIENT, 'utf16le')])],
    ['UTF-8 with half a character', Buffer.concat([Buffer.from(CLIENT), Buffer.from([0xe2, 0x82])])],
  ])('%s: refused, and what belongs to it waits', (_, bytes) => {
    const client = write('client.mjs', bytes);
    const request = write('request.mjs', REQUEST);
    scratch.commit();
    for (const flags of [[], ['--force'], ['--dry']]) {
      const { code, stdout, stderr } = run([...flags, scratch.folder]);
      expect({ code, stderr, stdout }).toEqual({
        code: 2,
        stderr:
          `ebb-migrate: ${client}: not written: it is not UTF-8: convert it first\n` +
          `ebb-migrate: ${request}: not written: it changes together with a file that is not written\n`,
        stdout: `0 places ${flags[0] === '--dry' ? 'would be ' : ''}rewritten in 0 files of 2, 0 TODOs, 2 not read or written\n`,
      });
      expect(readFileSync(client)).toEqual(bytes);
      expect(textOf(request)).toBe(REQUEST);
    }
  });

  test('one without anything to rewrite is passed over', () => {
    write('a.mjs', Buffer.from('// é\nexport const retry = 1;\n', 'latin1'));
    scratch.commit();
    expect(run([scratch.folder])).toMatchObject({ code: 0, stderr: '' });
  });

  test('bytes of lines that stay are the same ones', () => {
    const kept = Buffer.from('\r\nconst a = "\u2028\ud83d\ude00\ufeff";\nconst b = 1;\r\n');
    const path = write('a.mjs', Buffer.concat([Buffer.from(`\ufeff${CLIENT}`), kept]));
    scratch.commit();
    expect(run([path]).code).toBe(0);
    const after = readFileSync(path);
    expect(after.subarray(-kept.length)).toEqual(kept);
    expect(after.subarray(0, 3)).toEqual(Buffer.from('\ufeff'));
  });
});

describe('links', () => {
  test.each([
    ['a file in no repository', false, ''],
    ['a file in another repository', true, ''],
    ['a folder in no repository', false, '/client.mjs'],
    ['a folder in another repository', true, '/client.mjs'],
    ['a folder in no repository, which is named', false, '/'],
  ])('a tracked link to %s is not followed, with --force neither', (_, isRepository, within) => {
    const target = write('outside/client.mjs', CLIENT);
    if (isRepository) scratch.commit('outside');
    mkdirSync(scratch.path('inside'));
    symlinkSync(within === '' ? '../outside/client.mjs' : '../outside', scratch.path('inside/link.mjs'));
    scratch.commit('inside');
    const named = scratch.path(`inside/link.mjs${within}`);
    for (const flags of [[], ['--force'], ['--dry']]) {
      const { code, stdout, stderr } = run([...flags, named]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('it is a link out of its repository; name what it leads to');
    }
    expect(textOf(target)).toBe(CLIENT);
    expect(lstatSync(scratch.path('inside/link.mjs')).isSymbolicLink()).toBe(true);
  });

  test('a link in a folder is not followed', () => {
    const target = write('outside/client.mjs', CLIENT);
    mkdirSync(scratch.path('inside'));
    symlinkSync('../outside/client.mjs', scratch.path('inside/link.mjs'));
    symlinkSync('../outside', scratch.path('inside/folder'));
    symlinkSync('.', scratch.path('inside/again'));
    scratch.commit('inside');
    expect(run([scratch.path('inside')])).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^ebb-migrate \[/),
    });
    expect(textOf(target)).toBe(CLIENT);
  });

  test('a link to a file of the same repository stays one, and the file is written', () => {
    const target = write('lib/client.mjs', CLIENT);
    symlinkSync('lib/client.mjs', scratch.path('link.mjs'));
    scratch.commit();
    const link = scratch.path('link.mjs');
    expect(run([link, target])).toMatchObject({
      code: 0,
      stdout: `1 place rewritten in 1 file of 1, 0 TODOs\n${COMMANDS}`,
    });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(textOf(target)).toContain('@ebb/core');
  });

  test('a link of the user to a repository is followed', () => {
    const target = write('code/client.mjs', CLIENT);
    scratch.commit('code');
    symlinkSync('code', scratch.path('mine'));
    expect(run([scratch.path('mine')]).code).toBe(0);
    expect(textOf(target)).toContain('@ebb/core');
  });

  test('what git knows as a link, and is a file now, is not saved', () => {
    write('lib/client.mjs', CLIENT);
    const path = scratch.path('link.mjs');
    symlinkSync('lib/client.mjs', path);
    scratch.commit();
    execFileSync('rm', [path]);
    writeFileSync(path, CLIENT);
    expect(run([path]).stderr).toContain('it has uncommitted changes');
  });
});

describe('what git is asked', () => {
  test.each(['--assume-unchanged', '--skip-worktree'])('lines under %s are compared', (flag) => {
    const path = write('client.mjs', CLIENT);
    scratch.commit();
    scratch.git('.', 'update-index', flag, 'client.mjs');
    appendFileSync(path, '// mine\n');
    expect(scratch.git('.', 'status', '--porcelain')).toBe('');
    expect(run([path])).toMatchObject({
      code: 2,
      stderr: `ebb-migrate: ${path}: not written: it has uncommitted changes; --force writes it\n`,
    });
    expect(textOf(path)).toBe(`${CLIENT}// mine\n`);
  });

  test.each([
    ['staged', ['add', 'client.mjs']],
    ['only intended to be added', ['add', '--intent-to-add', 'client.mjs']],
  ])('what is %s is not saved', (_, args) => {
    write('other.mjs', '');
    scratch.commit();
    const path = write('client.mjs', CLIENT);
    scratch.git('.', ...args);
    expect(run([path]).stderr).toContain('it has uncommitted changes');
  });

  test('what is staged in a repository without a commit is not saved', () => {
    const path = write('client.mjs', CLIENT);
    scratch.git('.', 'init', '--quiet');
    scratch.git('.', 'add', '.');
    expect(run([path]).stderr).toContain('it has uncommitted changes');
  });

  test('lines that git has made end otherwise are saved', () => {
    scratch.git('.', 'init', '--quiet');
    scratch.git('.', 'config', 'core.autocrlf', 'true');
    const path = write('client.mjs', CLIENT.replaceAll('\n', '\r\n'));
    scratch.commit();
    expect(run([path]).code).toBe(0);
    expect(textOf(path)).not.toMatch(/[^\r]\n/);
  });

  /** A program that leaves a mark. */
  function marking(): { program: string; isMarked: () => boolean } {
    const mark = scratch.path('mark');
    const program = write('marking.sh', `#!/bin/sh\ntouch '${mark}'\nexit 1\n`);
    chmodSync(program, 0o755);
    return { program, isMarked: () => existsSync(mark) };
  }

  test('programs that the repository names do not run', () => {
    const path = write('repository/client.mjs', CLIENT);
    write('repository/.gitattributes', '*.mjs filter=own diff=own\n');
    scratch.commit('repository');
    const { program, isMarked } = marking();
    for (const key of [
      'core.fsmonitor',
      'core.sshCommand',
      'core.pager',
      'core.editor',
      'diff.external',
      'diff.own.textconv',
      'filter.own.clean',
      'filter.own.smudge',
      'filter.own.process',
    ])
      scratch.git('repository', 'config', key, program);
    mkdirSync(scratch.path('hooks'));
    for (const hook of ['post-index-change', 'post-checkout', 'fsmonitor-watchman', 'reference-transaction'])
      symlinkSync(program, scratch.path(`hooks/${hook}`));
    scratch.git('repository', 'config', 'core.hooksPath', scratch.path('hooks'));
    // Its time is another one than that in the index.
    writeFileSync(path, CLIENT);
    expect(run([path]).code).toBe(0);
    expect(isMarked()).toBe(false);
    // They would have run.
    expect(() => scratch.git('repository', 'status')).not.toThrow();
    expect(isMarked()).toBe(true);
  });

  test('a folder that looks like a repository is none', () => {
    const { program, isMarked } = marking();
    scratch.git('.', 'init', '--quiet', '--bare', 'code');
    scratch.git('code', 'config', 'core.bare', 'false');
    scratch.git('code', 'config', 'core.worktree', '.');
    scratch.git('code', 'config', 'core.fsmonitor', program);
    const path = write('code/client.mjs', CLIENT);
    scratch.git('code', 'add', 'client.mjs');
    scratch.git('code', 'commit', '--quiet', '--message', 'all');
    execFileSync('rm', ['-f', scratch.path('mark')]);
    expect(run([path]).stderr).toContain('it is in no git repository');
    expect(isMarked()).toBe(false);
  });

  test('objects that are missing are not fetched', () => {
    const { program, isMarked } = marking();
    const path = write('code/client.mjs', CLIENT);
    scratch.commit('code');
    const object = scratch.git('code', 'rev-parse', 'HEAD:client.mjs').trim();
    renameSync(
      scratch.path(`code/.git/objects/${object.slice(0, 2)}/${object.slice(2)}`),
      scratch.path('object'),
    );
    scratch.git('code', 'config', 'core.repositoryFormatVersion', '1');
    scratch.git('code', 'config', 'extensions.partialClone', 'origin');
    scratch.git('code', 'remote', 'add', 'origin', scratch.folder);
    scratch.git('code', 'config', 'remote.origin.uploadpack', program);
    scratch.git('code', 'config', 'protocol.file.allow', 'always');
    expect(run([path]).stderr).toContain('it has uncommitted changes');
    expect(isMarked()).toBe(false);
    // It would have run.
    expect(() => scratch.git('code', 'cat-file', 'blob', object)).toThrow();
    expect(isMarked()).toBe(true);
  });

  test('variables of a hook do not lead to another repository', () => {
    const path = write('code/client.mjs', CLIENT);
    scratch.commit('code');
    appendFileSync(path, '// mine\n');
    write('other/client.mjs', `${CLIENT}// mine\n`);
    scratch.commit('other');
    vi.stubEnv('GIT_DIR', scratch.path('other/.git'));
    vi.stubEnv('GIT_WORK_TREE', scratch.path('code'));
    vi.stubEnv('GIT_INDEX_FILE', scratch.path('other/.git/index'));
    expect(run([path]).stderr).toContain('it has uncommitted changes');
  });

  test('without git nothing is known', () => {
    const path = write('client.mjs', CLIENT);
    scratch.commit();
    vi.stubEnv('PATH', scratch.folder);
    expect(run([path]).stderr).toContain('there is no git to ask');
    expect(textOf(path)).toBe(CLIENT);
  });

  test('a file of a submodule is asked for there', () => {
    write('library/client.mjs', CLIENT);
    scratch.commit('library');
    write('code/a.mjs', '');
    scratch.commit('code');
    scratch.git('code', 'submodule', '--quiet', 'add', '../library', 'library');
    scratch.git('code', 'commit', '--quiet', '--message', 'more');
    const path = scratch.path('code/library/client.mjs');
    appendFileSync(path, '// mine\n');
    expect(run([scratch.path('code')]).stderr).toContain('it has uncommitted changes');
    writeFileSync(path, CLIENT);
    expect(run([scratch.path('code')]).code).toBe(0);
    expect(textOf(path)).toContain('@ebb/core');
    expect(textOf(scratch.path('library/client.mjs'))).toBe(CLIENT);
  });
});

describe('names', () => {
  const NAMES = [
    '[id].mjs',
    '-c.mjs',
    ':(top).mjs',
    '*.mjs',
    'a b.mjs',
    'é.mjs',
    'a\nb.mjs',
    "a'b.mjs",
    'a\u001b[31m.mjs',
  ];

  test.each(NAMES)('%j is one file', (name) => {
    const path = write(`code/${name}`, CLIENT);
    write('code/d.mjs', '');
    scratch.commit('code');
    // Patterns would take it for one of these.
    for (const other of ['code/i.mjs', 'code/d.mjs']) write(other, '// changed\n');
    expect(run([path]).code).toBe(0);
    expect(textOf(path)).toContain('@ebb/core');
  });

  test('what a terminal would obey is shown', () => {
    const name = 'a\n\u001b]0;b\u0007\u009b2J\u202e\u2028.mjs';
    const shown = scratch.path('a\\u000a\\u001b]0;b\\u0007\\u009b2J\\u202e\\u2028.mjs');
    const path = write(name, CLIENT.replace('{ retries', "{ unref: '\u001b[2J', retries"));
    const failed = run([path]);
    expect(failed.stderr).toBe(
      `ebb-migrate: ${shown}: not written: it is in no git repository; --force writes it\n`,
    );
    const dry = run(['--dry', path], true);
    expect(dry.stdout).toContain(`${shown}:3: p-retry stays here: `);
    // A difference for a file has the bytes themselves.
    expect(dry.stdout).toContain("\n await pRetry(load, { unref: '\\u001b[2J'");
    expect(run(['--dry', path]).stdout).toContain("unref: '\u001b[2J'");
    const missing = run([scratch.path('none\u001b[2J')]);
    expect(missing.stderr).toContain('none\\u001b[2J');
    for (const text of [failed.stderr, dry.stdout, missing.stderr])
      expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\u2028\u202e]/u);
  });

  test('a name that is not UTF-8 is reported', () => {
    const path = Buffer.concat([Buffer.from(`${scratch.folder}/`), Buffer.from([0xff]), Buffer.from('.mjs')]);
    writeFileSync(path, CLIENT);
    const other = write('other.mjs', CLIENT);
    const { code, stderr } = run(['--force', scratch.folder]);
    expect(code).toBe(2);
    expect(stderr).toContain('ENOENT');
    expect(readFileSync(path, 'utf8')).toBe(CLIENT);
    expect(textOf(other)).toContain('@ebb/core');
  });

  test('a file is taken once, however it is named', () => {
    const path = write('client.mjs', CLIENT);
    scratch.commit();
    expect(run([path, scratch.folder, `${scratch.folder}/./client.mjs`]).stdout).toBe(
      `1 place rewritten in 1 file of 1, 0 TODOs\n${COMMANDS}`,
    );
  });
});

describe('writing', () => {
  test.each([0o755, 0o600, 0o640, 0o4755])('mode %o stays', (mode) => {
    const path = write('client.mjs', CLIENT);
    chmodSync(path, mode);
    scratch.commit();
    expect(run([path]).code).toBe(0);
    expect(statSync(path).mode & 0o7777).toBe(mode);
    expect(readdirSync(scratch.folder).sort()).toEqual(['.git', 'client.mjs']);
  });

  test('a read-only file is not written, nor what belongs to it', () => {
    const path = write('client.mjs', CLIENT);
    const request = write('request.mjs', REQUEST);
    chmodSync(path, 0o444);
    scratch.commit();
    for (const flags of [[], ['--force']]) {
      expect(run([...flags, scratch.folder]).stderr).toBe(
        `ebb-migrate: ${path}: not written: it is read-only\n` +
          `ebb-migrate: ${request}: not written: it changes together with a file that is not written\n`,
      );
      expect(textOf(request)).toBe(REQUEST);
    }
  });

  test('another name of the same file keeps what it had', () => {
    const path = write('code/client.mjs', CLIENT);
    linkSync(path, scratch.path('other.mjs'));
    scratch.commit('code');
    expect(run([path]).code).toBe(0);
    expect(textOf(scratch.path('other.mjs'))).toBe(CLIENT);
  });

  test('what is neither a file nor a folder is refused', () => {
    const path = scratch.path('pipe.mjs');
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);
    expect(run([path])).toMatchObject({
      code: 2,
      stderr: `ebb-migrate: ${path}: it is neither a file nor a folder\n`,
    });
  });

  const change = (name: string) => ({
    real: write(name, 'old'),
    before: Buffer.from('old'),
    after: Buffer.from('new'),
  });

  test.each<[string, (path: string) => void]>([
    ['has changed meanwhile', (path) => writeFileSync(path, 'mine')],
    ['is a folder now', (path) => execFileSync('sh', ['-c', 'rm "$1" && mkdir "$1"', 'sh', path])],
    ['is gone', (path) => execFileSync('rm', [path])],
  ])('if the last of three files %s, all stay', (_, alter) => {
    const changes = ['a', 'b', 'c'].map(change);
    alter(scratch.path('c'));
    expect(() => writeAll(changes)).toThrow();
    expect(['a', 'b'].map((name) => textOf(scratch.path(name)))).toEqual(['old', 'old']);
    expect(readdirSync(scratch.folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('a file that another program has made for the new text is not written', () => {
    const changes = [change('a')];
    for (let at = 1; at < 200; at += 1)
      symlinkSync('/none/b', scratch.path(`.ebb-migrate-${process.pid}-${at}`));
    expect(() => writeAll(changes)).toThrow('EEXIST');
    expect(textOf(scratch.path('a'))).toBe('old');
  });
});

describe('programs that are not rewritten, and may have requests', () => {
  const LONG = `${'const a = "0123456789";\n'.repeat(50_000)}`;

  test.each([
    ['page.vue', `<script setup>\n${REQUEST}</script>\n`, 'only files that are all program are rewritten'],
    ['bundle.js', LONG + REQUEST, 'it is larger than 1 MB'],
  ])('%s stays, and its client does the same for it', (name, text, reason) => {
    const path = write(name, text);
    const client = write('client.mjs', CLIENT);
    scratch.commit();
    const { code, stdout, stderr } = run([scratch.folder]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `ebb-migrate: ${path}: not rewritten: ${reason}\n` });
    expect(stdout).toContain('1 place rewritten in 1 file');
    expect(textOf(client)).toContain('@ebb/core');
    expect(textOf(path)).toBe(text);
  });

  test.each([
    ['page.vue', '<template>axios</template>\n'],
    ['bundle.js', LONG],
    ['deep.js', `${'['.repeat(200_000)}${']'.repeat(200_000)};\n`],
  ])('%s without a library is passed over', (name, text) => {
    write(name, text);
    write('client.mjs', CLIENT);
    scratch.commit();
    expect(run([scratch.folder])).toMatchObject({ code: 0, stderr: '' });
  });
});

test('a client that is not committed, and a request in another file: neither is written', () => {
  const request = write('request.mjs', REQUEST);
  const third = write('third.mjs', "import pRetry from 'p-retry';\npRetry(() => load());\n");
  scratch.commit();
  const client = write('client.mjs', CLIENT);
  const { code, stdout, stderr } = run([scratch.folder]);
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: `1 place rewritten in 1 file of 3, 0 TODOs, 2 not read or written\n${COMMANDS.replace(/npm un.*\n/, '')}`,
    stderr:
      `ebb-migrate: ${client}: not written: git does not know it; --force writes it\n` +
      `ebb-migrate: ${request}: not written: it changes together with a file that is not written\n`,
  });
  expect([client, request].map(textOf)).toEqual([CLIENT, REQUEST]);
  expect(textOf(third)).toContain('@ebb/core');
  expect(run(['--force', join(scratch.folder, '.')]).code).toBe(0);
  expect(textOf(request)).toContain("import { AbortError } from '@ebb/compat';");
});
