import { type ExecFileOptions, execFile } from 'node:child_process';

/** The output of a program and its exit code, also if it has failed. */
export interface ExecResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function execToEnd(
  command: string,
  args: readonly string[],
  options: ExecFileOptions,
): Promise<ExecResult> {
  return new Promise((resolve) => {
    execFile(command, args, { encoding: 'utf8', ...options }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout: String(stdout), stderr: String(stderr) });
    });
  });
}
