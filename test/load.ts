// Runs the tests repeatedly on a busy machine, and prints those that fail in any run:
//   pnpm check load                      the whole suite twenty times, beside eight busy processes
//   pnpm check load --runs 5 test/limits packages/fetch
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '20' }, busy: { type: 'string', default: '8' } },
  allowPositionals: true,
});
const folder = mkdtempSync(join(tmpdir(), 'ebb-load-'));

/** The part of vitest's JSON report that is used. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

const firstLine = (text = ''): string => text.split('\n')[0] ?? '';

/** Runs the tests once; returns how many passed, and which failed. */
async function run(at: number): Promise<{ passed: number; failed: string[] }> {
  const file = join(folder, `${at}.json`);
  const args = ['run', '--config', 'test/vitest.config.ts', '--reporter=json', `--outputFile=${file}`];
  // Each run draws other values.
  const env = { ...process.env, EBB_SEED: 'random' };
  const child = spawn('vitest', [...args, ...positionals], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (part: Buffer) => {
    said += part;
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const failed = report.testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message === '' ? [] : [`${name}: ${firstLine(message)}`]),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => `${name}: ${fullName}: ${firstLine(failureMessages[0])}`),
  ]);
  // An error outside any test, such as an unhandled rejection, is not in the report.
  if (code !== 0 && failed.length === 0) failed.push(`exit code ${code}: ${said.slice(-2_000)}`);
  return { passed: report.numPassedTests, failed };
}

// Exits when its parent process has ended in any way.
const BUSY = 'for (const parent = process.ppid; process.ppid === parent; ) for (let n = 0; n < 1e8; n += 1);';
const busy: ChildProcess[] = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, ['--eval', BUSY], { stdio: 'ignore' }),
);
let failures = 0;
try {
  for (let at = 1; at <= Number(values.runs); at += 1) {
    const startMs = performance.now();
    const { passed, failed } = await run(at);
    const seconds = Math.round((performance.now() - startMs) / 1_000);
    console.log(`run ${at}: ${passed} passed, ${failed.length} failed, ${seconds} s`);
    for (const line of failed) console.log(`  ${line}`);
    failures += failed.length;
  }
} finally {
  for (const child of busy) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}
console.log(failures === 0 ? 'No test failed in any run.' : `${failures} failures.`);
process.exitCode = failures === 0 ? 0 : 1;
