import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { OnStoreError } from '@ebb/valkey';

/** What a process of the fleet does. */
export interface WorkerTask {
  readonly storeUrl: string;
  readonly upstreamUrl: string;
  readonly key: string;
  readonly rate: number;
  readonly capacity: number;
  /** How many requests it has under way at once. */
  readonly askers: number;
  readonly maxWaitMs?: number | undefined;
  readonly onStoreError?: OnStoreError | undefined;
  /** How far its clock is ahead, in milliseconds. */
  readonly skewMs?: number | undefined;
  /** How fast its clock runs; 1 is real time. */
  readonly speed?: number | undefined;
  /** How far its clock is set back every 0.7 s, in milliseconds. */
  readonly stepBackMs?: number | undefined;
}

/** What the process did. */
export interface WorkerReport {
  granted: number;
  refused: number;
  /** Requests that did not reach the upstream. */
  failed: number;
  longestWaitMs: number;
  /** Calls to the store. */
  calls: number;
  readonly events: string[];
  unhandled: number;
}

/** Child processes that share a bucket. */
export class ProcessFleet {
  readonly #children: ChildProcess[];

  private constructor(children: ChildProcess[]) {
    this.#children = children;
  }

  /** Starts the processes, which then wait for {@link go}. `file` is next to this one. */
  static async start(tasks: readonly object[], file = 'worker.ts'): Promise<ProcessFleet> {
    const program = fileURLToPath(new URL(file, import.meta.url));
    const execArgv = ['--conditions=@ebb/source'];
    const children = tasks.map((task) => fork(program, [JSON.stringify(task)], { execArgv }));
    await Promise.all(children.map((child) => once(child, 'message')));
    return new ProcessFleet(children);
  }

  go(): void {
    for (const child of this.#children) child.send('go');
  }

  /** Kills one, with its leased tokens. */
  async kill(index: number): Promise<void> {
    const [child] = this.#children.splice(index, 1);
    if (child === undefined) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Stops all processes, and returns their reports. */
  async stop(): Promise<WorkerReport[]> {
    return Promise.all(
      this.#children.map(async (child) => {
        child.send('stop');
        const [report] = await once(child, 'message');
        return report as WorkerReport;
      }),
    );
  }

  [Symbol.dispose](): void {
    for (const child of this.#children) if (child.exitCode === null) child.kill('SIGKILL');
  }
}
