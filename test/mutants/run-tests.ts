import { type RunnerTask, type RunnerTestCase, type RunnerTestSuite, TestRunner, vi } from 'vitest';
import type { Tried } from './orders.ts';
import { stryker } from './stryker.ts';

// Tests fake these.
const { setTimeout, clearTimeout, performance } = globalThis;

/** A loop that never ends reaches its mutant this often at the most. */
const MOST_HITS = 2_000_000;

/** Which tests run, and until when. */
export interface Run {
  readonly wants: (test: RunnerTestCase) => boolean;
  /** No test runs after one that fails. */
  readonly bails: boolean;
  /** How long a test may take. Some mutants keep tests from settling. */
  readonly mostMs: (id: string) => number;
}

/** The tests of a suite, or of a file, that are not left out. */
export function testsOf(suite: RunnerTestSuite): RunnerTestCase[] {
  return suite.tasks.flatMap((task) => {
    if (task.mode === 'skip' || task.mode === 'todo') return [];
    return task.type === 'suite' ? testsOf(task) : [task];
  });
}

/** The suites around a test, from the file inwards. */
function suitesAround({ suite, file }: RunnerTask): RunnerTestSuite[] {
  return suite === undefined || suite === file ? [file] : [...suitesAround(suite), suite];
}

/** Runs a suite as Vitest does, except that it can be run again. */
export async function runSuite(runner: TestRunner, suite: RunnerTestSuite, run: Run): Promise<Tried[]> {
  const [first] = testsOf(suite).filter(run.wants);
  if (first === undefined) return [];
  const { beforeAll, afterAll } = TestRunner.getSuiteHooks(suite);
  const tried: Tried[] = [];
  const cleanups: unknown[] = [];
  stryker.currentTestId = first.id;
  try {
    for (const hook of beforeAll) cleanups.push(await hook(suite));
  } catch (error) {
    const failureMessage = `beforeAll: ${error}`;
    return [{ id: first.id, name: first.fullName, status: 'failed', timeSpentMs: 0, failureMessage }];
  }
  for (const task of suite.tasks) {
    if (task.mode === 'skip' || task.mode === 'todo') continue;
    if (task.type === 'suite') tried.push(...(await runSuite(runner, task, run)));
    else if (run.wants(task)) tried.push(await runTest(runner, task, run.mostMs(task.id)));
    if (run.bails && tried.at(-1)?.status === 'failed') break;
  }
  const hooks = [...cleanups, ...afterAll].reverse() as ((suite: RunnerTestSuite) => unknown)[];
  // No test is to blame for what fails here.
  for (const hook of hooks) if (typeof hook === 'function') await attempt(() => hook(suite));
  return tried;
}

async function runTest(runner: TestRunner, test: RunnerTestCase, mostMs: number): Promise<Tried> {
  const { id, fullName: name } = test;
  Object.assign(stryker, { currentTestId: id, hitCount: 0, hitLimit: MOST_HITS });
  const startMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<unknown[]>((resolve) => {
    timer = setTimeout(() => resolve([`took more than ${mostMs} ms`]), mostMs);
  });
  const errors = await Promise.race([errorsOf(runner, test), late]);
  clearTimeout(timer);
  const tried = { id, name, timeSpentMs: performance.now() - startMs };
  if (errors.length === 0) return { ...tried, status: 'success' };
  vi.useRealTimers();
  vi.restoreAllMocks();
  return { ...tried, status: 'failed', failureMessage: String(errors[0]) };
}

/** Runs a test with its hooks. */
async function errorsOf(runner: TestRunner, test: RunnerTestCase): Promise<unknown[]> {
  const suites = suitesAround(test);
  const cleanups: unknown[] = [];
  test.result = { state: 'run', startTime: 0, retryCount: 0 } as NonNullable<RunnerTestCase['result']>;
  runner.onBeforeTryTask(test, { retry: 0, repeats: 0 });
  const errors = await attempt(async () => {
    for (const suite of suites)
      for (const hook of TestRunner.getSuiteHooks(suite).beforeEach)
        cleanups.push(await hook(test.context, suite));
    await TestRunner.getTestFn(test)();
    runner.onAfterTryTask(test);
  });
  if (test.fails) errors.push(...(errors.splice(0).length === 0 ? ['did not fail'] : []));
  for (const suite of [...suites].reverse())
    for (const hook of [...TestRunner.getSuiteHooks(suite).afterEach].reverse())
      errors.push(...(await attempt(() => hook(test.context, suite))));
  // Vitest believes that the host is running, so `onTestFinished` is about that.
  const finished = [test, TestRunner.getCurrentTest()] as { onFinished?: unknown[] }[];
  const hooks = [...cleanups, ...finished.flatMap((task) => task.onFinished?.splice(0) ?? [])].reverse();
  for (const hook of hooks)
    if (typeof hook === 'function') errors.push(...(await attempt(() => hook(test.context))));
  return errors;
}

async function attempt(run: () => unknown): Promise<unknown[]> {
  try {
    await run();
    return [];
  } catch (error) {
    return [error];
  }
}
