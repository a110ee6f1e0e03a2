import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  type RunnerTestSuite,
  TestRunner,
  test,
} from 'vitest';
import { type Run, runSuite, testsOf } from './run-tests.ts';
import { stryker } from './stryker.ts';

// Vitest runs the tests of this suite as well, before the tests below run them again.
let broken = '';
const done: string[] = [];
const run = (name: string) => {
  done.push(name);
  if (broken === name) throw new Error(`${name} is broken`);
};

describe('again', () => {
  beforeAll(() => {
    run('before all');
    return () => run('cleaned up');
  });
  beforeEach(() => {
    run('before');
    return () => run('cleaned');
  });
  afterEach(() => run('after'));
  afterAll(() => run('after all'));

  test('one', () => {
    run('one');
    onTestFinished(() => run('finished'));
  });
  test('two', () => (broken === 'hangs' ? new Promise<void>(() => {}) : run('two')));
  describe('within', () => {
    test('three', () => run('three'));
  });
  test.skip('not', () => expect.fail('it ran'));
});

const runner = { onBeforeTryTask: () => {}, onAfterTryTask: () => {} } as unknown as TestRunner;

async function again(breaks: string, own: Partial<Run> = {}) {
  broken = breaks;
  done.length = 0;
  const suite = TestRunner.getCurrentTest()?.file.tasks.find(
    ({ name }) => name === 'again',
  ) as RunnerTestSuite;
  const tried = await runSuite(runner, suite, {
    wants: () => true,
    bails: true,
    mostMs: () => 20_000,
    ...own,
  });
  broken = '';
  const told = tried.map(({ name, status, failureMessage }) => [
    name.split(' > ').at(-1),
    status,
    failureMessage,
  ]);
  return { suite, tried, told };
}

test('the tests of a suite and of those within it, with all their hooks', async () => {
  const { suite, tried, told } = await again('');
  expect(told).toEqual(['one', 'two', 'three'].map((name) => [name, 'success', undefined]));
  expect(tried.map(({ id }) => id)).toEqual(testsOf(suite).map(({ id }) => id));
  const around = (...names: string[]) => ['before', ...names, 'after'];
  expect(done).toEqual([
    'before all',
    ...around('one'),
    'finished',
    'cleaned',
    ...around('two'),
    'cleaned',
    ...around('three'),
    'cleaned',
    'after all',
    'cleaned up',
  ]);
});

test.each<[breaks: string, told: string[]]>([
  ['one', ['one failed Error: one is broken']],
  ['three', ['one success', 'two success', 'three failed Error: three is broken']],
  ['before all', ['one failed beforeAll: Error: before all is broken']],
  ['before', ['one failed Error: before is broken']],
  ['after', ['one failed Error: after is broken']],
  ['cleaned', ['one failed Error: cleaned is broken']],
  ['finished', ['one failed Error: finished is broken']],
  ['after all', ['one success', 'two success', 'three success']],
])('no test runs after one that fails: %s', async (breaks, expected) => {
  const { told } = await again(breaks);
  expect(told.map((one) => one.join(' ').trim())).toEqual(expected);
});

test('those that are wanted, and all of them if one may fail', async () => {
  const { told } = await again('two', { bails: false, wants: ({ name }) => name !== 'one' });
  expect(told).toEqual([
    ['two', 'failed', 'Error: two is broken'],
    ['three', 'success', undefined],
  ]);
});

test('one that does not settle fails', async () => {
  const { told } = await again('hangs', { mostMs: () => 5 });
  expect(told.at(-1)).toEqual(['two', 'failed', 'took more than 5 ms']);
});

test('what a mutant reads: which test runs, and how often it may be reached', async () => {
  const { tried } = await again('');
  expect(stryker).toMatchObject({ currentTestId: tried.at(-1)?.id, hitCount: 0, hitLimit: 2_000_000 });
});
