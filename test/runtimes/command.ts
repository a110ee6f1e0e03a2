import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from './bundle.ts';
import type { RuntimeName } from './names.ts';
import type { Runtime, Startable } from './runtime.ts';

const PROGRAM = `
  console.log(JSON.stringify(await perform(...JSON.parse(process.argv[2]))));
  process.exit();`;

/** Why a program does not start; `undefined` if it does. */
export function missing(command: string): string | undefined {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch (error) {
    return `${command} does not start (${(error as { code?: string }).code ?? 'it fails'}); "npx -y pnpm@12 install" gets it`;
  }
}

/** A runtime that is a command: a new process for each job, which prints the result as JSON. */
export function command(name: RuntimeName, program: string, ...args: readonly string[]): Startable {
  return {
    name,
    missing: missing(program),
    async start(client): Promise<Runtime> {
      const directory = mkdtempSync(join(tmpdir(), 'ebb-runtime-'));
      const file = join(directory, 'runner.mjs');
      writeFileSync(file, await bundle(client, PROGRAM, 'command'));
      symlinkSync(join(dirname(import.meta.dirname), 'node_modules'), join(directory, 'node_modules'), 'dir');
      return {
        async perform(job, input) {
          const options = { cwd: directory, env: { ...process.env, NODE_OPTIONS: '', NODE_PATH: '' } };
          const parts = [...args, file, JSON.stringify([job, input])];
          const { stdout } = await promisify(execFile)(program, parts, options);
          return JSON.parse(stdout);
        },
        async [Symbol.asyncDispose]() {
          rmSync(directory, { recursive: true });
        },
      };
    },
  };
}
