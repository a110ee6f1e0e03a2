import { readFileSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BroadcastChannel } from 'node:worker_threads';
import { type RunnerTestFile, TestRunner } from 'vitest';
import { type Answer, CHANNEL, type Order, type Tried } from './orders.ts';
import { type Run, runSuite, testsOf } from './run-tests.ts';
import { stryker } from './stryker.ts';

// A thread takes no flags of V8.
setFlagsFromString('--expose-gc');
globalThis.gc ??= runInNewContext('gc') as typeof gc;

/** No test of a mutant starts after this work of the thread, which other programs do not lengthen. A mutant alive by then has survived. */
const MOST_WORK_MS = 4_000;
/** Nor after this time. */
const MOST_MS = 20_000;
/** A test that takes longer is not run for the mutants that it reaches. */
const SLOW_MS = 1_000;

/** How long each test took, for Stryker's other processes. It is in the copy of the repository that Stryker has made. */
const TOOK = 'mutants-took.json';

const files: RunnerTestFile[] = [];
/** How many mutants the tests of a file have killed, by the source of the mutants and the file. */
const kills = new Map<string, number>();
/** By the ids of tests, in milliseconds. */
const took = new Map<string, number>();

/** The one of this thread. */
export let runner: MutantRunner;

/** Loads all files, and then runs what Stryker asks for. */
export default class MutantRunner extends TestRunner {
  async onCollected(collected: RunnerTestFile[]): Promise<void> {
    runner = this;
    for (const file of collected) {
      if (file.filepath.endsWith('mutants/host.ts')) continue;
      await this.onBeforeRunSuite(file);
      files.push(file);
      // Vitest itself runs none of them.
      file.mode = 'skip';
    }
  }

  /** The snapshots stay. */
  override onAfterRunFiles(): void {}

  /** Until Stryker ends the process. */
  async serve(): Promise<never> {
    const channel = new BroadcastChannel(CHANNEL);
    const orders: Order[] = [];
    let come = () => {};
    channel.onmessage = ({ data }: { data: Order | Answer }) => {
      if (!('type' in data)) return;
      orders.push(data);
      come();
    };
    channel.postMessage({ tests: [] } satisfies Answer);
    for (;;) {
      const order = orders.shift();
      if (order !== undefined)
        channel.postMessage(order.type === 'dry-run' ? await this.#dryRun() : await this.#mutant(order));
      else
        await new Promise<void>((resolve) => {
          come = resolve;
        });
    }
  }

  /**
   * All tests twice, since those that reach a mutant run for each: a test that passes in a new process alone is left out, and a
   * slow one.
   */
  async #dryRun(): Promise<Answer> {
    const run: Run = { wants: () => true, bails: false, mostMs: () => 60_000 };
    const first = await this.#runAll(run);
    stryker.mutantCoverage ??= { static: {}, perTest: {} };
    const { static: atLoad, perTest } = stryker.mutantCoverage;
    // In place: each module has a reference to it.
    Object.assign(stryker.mutantCoverage, { static: {}, perTest: {} });
    const quick = new Set(first.flatMap(({ id, timeSpentMs }) => (timeSpentMs < SLOW_MS ? [id] : [])));
    const failed = new Set(first.flatMap(({ id, status }) => (status === 'failed' ? [id] : [])));
    const wants: Run['wants'] = ({ id }) => quick.has(id) && !failed.has(id);
    const tests = (await this.#runAll({ ...run, wants })).filter(({ status }) => status === 'success');
    for (const { id, timeSpentMs } of tests) took.set(id, timeSpentMs);
    writeFileSync(TOOK, JSON.stringify([...took]));
    const counted = Object.fromEntries(tests.map(({ id }) => [id, perTest[id] ?? {}]));
    return { tests, mutantCoverage: { static: atLoad, perTest: counted } };
  }

  async #runAll(run: Run): Promise<Tried[]> {
    const tried: Tried[] = [];
    for (const file of files) tried.push(...(await runSuite(this, file, run)));
    return tried;
  }

  async #mutant({ id: mutant, path, tests }: Extract<Order, { type: 'mutant' }>): Promise<Answer> {
    if (took.size === 0)
      for (const [id, ms] of JSON.parse(readFileSync(TOOK, 'utf8')) as [string, number][]) took.set(id, ms);
    const left = new Set(tests);
    const [endMs, endWorkMs] = [performance.now() + MOST_MS, workMs() + MOST_WORK_MS];
    const isLate = (): boolean => workMs() >= endWorkMs || performance.now() >= endMs;
    const mostMs = (id: string): number => 500 + 5 * (took.get(id) ?? 0);
    const wants: Run['wants'] = ({ id }) => left.has(id) && !isLate();
    const tried: Tried[] = [];
    let dirty = false;
    for (const file of nearestFirst(path, left)) {
      for (let goesOn = true; goesOn; ) {
        stryker.activeMutant = mutant;
        const some = await runSuite(this, file, { mostMs, bails: true, wants });
        stryker.activeMutant = undefined;
        tried.push(...some);
        for (const { id } of some) left.delete(id);
        const last = some.at(-1);
        goesOn = last?.status === 'failed';
        if (last === undefined || !goesOn) continue;
        // With more time: a busy machine must not start a new process for each mutant.
        const [again] = await runSuite(this, file, {
          mostMs: (id) => 10 * mostMs(id),
          bails: true,
          wants: ({ id }) => id === last.id,
        });
        if (again?.status === 'success') {
          const pair = `${path} ${file.filepath}`;
          kills.set(pair, (kills.get(pair) ?? 0) + 1);
          return { tests: tried, killer: last, dirty };
        }
        dirty = true;
      }
    }
    return { tests: tried, dirty };
  }
}

/** How long this thread has worked, in milliseconds. */
function workMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * The files with tests that reach a mutant. First come the file of its name, those that have killed mutants of its source, and those of
 * its folder, then those of its package, and the quickest of them first.
 */
function nearestFirst(path: string, wanted: ReadonlySet<string>): RunnerTestFile[] {
  const [home = ''] = /packages\/[^/]+\//.exec(path) ?? [];
  const folder = path.slice(path.indexOf(home), path.lastIndexOf('/') + 1);
  const itsName = path.slice(path.indexOf(home)).replace(/\.ts$/, '.test.ts');
  const place = ({ filepath }: RunnerTestFile): number => {
    if (filepath.endsWith(itsName)) return 100;
    if (filepath.includes(folder)) return 10;
    return filepath.includes(home) ? 3 : 1;
  };
  const weight = (file: RunnerTestFile): number =>
    place(file) * (1 + (kills.get(`${path} ${file.filepath}`) ?? 0));
  return files
    .flatMap((file) => {
      const reaching = testsOf(file).filter(({ id }) => wanted.has(id));
      const ms = reaching.reduce((sum, { id }) => sum + (took.get(id) ?? 0), 0);
      return reaching.length === 0 ? [] : [{ file, value: weight(file) / (ms + 1) }];
    })
    .sort((one, other) => other.value - one.value)
    .map(({ file }) => file);
}
