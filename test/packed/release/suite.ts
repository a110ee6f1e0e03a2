import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Result } from './result.ts';

const root = join(import.meta.dirname, '../../..');

/** What the files test. */
const TITLES: Readonly<Record<string, string>> = {
  'api.test.ts': 'API reports are current',
  'build.test.ts': 'bundles by platform',
  'bundled.test.ts': 'few files, small bundles',
  'commonjs.test.ts': 'CommonJS programs, Jest',
  'managers.test.ts': 'npm, pnpm, Yarn, Bun',
  'nest.test.ts': 'NestJS',
  'other-axios.test.ts': 'other copies of axios',
  'register.test.ts': 'node --import',
  'simulator.test.ts': 'ebb-sim',
  'uncaught.test.ts': 'errors that no one catches',
};

function titleOf(file: string): string {
  return TITLES[file] ?? `types, ${file.replace(/^types\/typescript-(.+)\.test\.ts$/, 'TypeScript $1')}`;
}

/** The used part of the report of vitest. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function resultOf({ name, status, message, assertionResults }: Report['testResults'][number]): Result {
  const subject = titleOf(relative(join(root, 'test/packed'), name));
  const failed = assertionResults.filter((test) => test.status !== 'passed');
  const problems = failed.map((test) => `${test.fullName}: ${test.failureMessages[0] ?? test.status}`);
  if (status !== 'passed' && problems.length === 0) problems.push(message || `the tests have ${status}`);
  const passed = assertionResults.length - failed.length;
  return { check: 'tests', subject, figure: `${passed} of ${assertionResults.length} pass`, problems };
}

/**
 * Runs the tests of the packed packages on the tarballs of a folder: API reports, programs in CommonJS and Jest, and types
 * with every compiler; or those whose path contains one of the words.
 */
export async function checkBySuite(folder: string, ...words: readonly string[]): Promise<Result[]> {
  const output = mkdtempSync(join(tmpdir(), 'ebb-suite-'));
  const file = join(output, 'report.json');
  const config = join(root, 'test/packed/vitest.release.config.ts');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', ...words, '--config', config, '--reporter', 'json', '--outputFile', file];
  // In CI vitest writes no API report that is missing.
  const env = { ...process.env, CI: '1', EBB_PACKED: folder };
  try {
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = await once(child, 'close');
    const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
    const results = report?.testResults.map(resultOf) ?? [];
    if (code !== 0 && results.every(({ problems }) => problems.length === 0)) {
      const problems = ['the run failed, although no test did'];
      results.push({ check: 'tests', subject: 'vitest', figure: `exit code ${code}`, problems });
    }
    return results.sort((a, b) => a.subject.localeCompare(b.subject));
  } finally {
    rmSync(output, { recursive: true });
  }
}
