import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ebbMigrate } from '../src/cli/run.ts';

/** A folder with repositories, which is removed at the end of a test. */
export class Scratch {
  readonly folder: string = realpathSync(mkdtempSync(join(tmpdir(), 'ebb-migrate-')));

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Writes a file. Returns its path. */
  write(name: string, text: string | Buffer): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  git(within: string, ...args: string[]): string {
    const own = ['-c', 'user.name=a', '-c', 'user.email=a@b.test', '-c', 'protocol.file.allow=always'];
    return execFileSync('git', [...own, ...args], {
      cwd: this.path(within),
      encoding: 'utf8',
      stdio: 'pipe',
    });
  }

  /** Makes a folder a repository, and commits what is in it. */
  commit(within = '.', ...paths: readonly string[]): void {
    this.git(within, 'init', '--quiet');
    this.git(within, 'add', ...(paths.length > 0 ? paths : ['.']));
    this.git(within, 'commit', '--quiet', '--message', 'all');
  }
}

/** What the command returns and writes. */
export function run(
  args: readonly string[],
  isTTY = false,
): { code: number; stdout: string; stderr: string } {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) => ({
    isTTY,
    write(text: string) {
      written[name] += text;
    },
  });
  const code = ebbMigrate(args, { stdout: stream('stdout'), stderr: stream('stderr') });
  return { code, ...written };
}

export const CLIENT = "import pRetry from 'p-retry';\n\nawait pRetry(load, { retries: 3 });\n";
export const REQUEST = "import { AbortError } from 'p-retry';\n\nthrow new AbortError('gone');\n";
