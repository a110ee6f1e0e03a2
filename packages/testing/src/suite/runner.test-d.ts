import type * as node from 'node:test';
import type * as vitest from 'vitest';
import type { Runner } from './suite.ts';

/** Whether the functions of a runner can be handed to the suite. */
type Fits<Functions extends Runner> = Functions;

interface DenoTest {
  (name: string, run: (context: object) => void | Promise<void>): void;
  (definition: { name: string; fn(context: object): void | Promise<void> }): void;
  ignore(name: string, run: (context: object) => void | Promise<void>): void;
}

export type Runners = [
  Fits<{ describe: typeof node.describe; test: typeof node.test }>,
  Fits<{ describe: typeof vitest.describe; test: typeof vitest.test }>,
  Fits<{ test: DenoTest }>,
  // @ts-expect-error: a function that takes no test
  Fits<{ test: (count: number) => void }>,
];
