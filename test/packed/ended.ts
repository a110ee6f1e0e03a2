import { type ExecFileOptions, execFile } from 'node:child_process';

/** What a program has printed, and its exit code, also if it has failed. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function ended(command: string, args: readonly string[], options: ExecFileOptions): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(command, args, { encoding: 'utf8', ...options }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout: String(stdout), stderr: String(stderr) });
    });
  });
}
