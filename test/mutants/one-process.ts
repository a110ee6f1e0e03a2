import { setTimeout } from 'node:timers/promises';
import { BroadcastChannel } from 'node:worker_threads';
import { createVitest } from 'vitest/node';
import { type Answer, CHANNEL, type Order } from './orders.ts';

/** What Stryker asks of a test runner, as far as this one reads it. */
interface MutantRun {
  readonly activeMutant: { readonly id: string; readonly fileName: string };
  readonly testFilter?: readonly string[];
}

/** A mutant may keep the thread busy for ever, where no timer of it ends the test. All else has ended long before. */
const BUSY_MS = 30_000;

/**
 * Runs the mutants of one of Stryker's processes in one thread of Vitest, which loads each test file once. To load them anew for each
 * mutant, as Stryker's own runner does, takes seconds; most mutants are killed in milliseconds.
 */
export class OneProcess {
  static readonly inject = [] as const;
  readonly #channel = new BroadcastChannel(CHANNEL);
  #answered: (answer: Answer) => void = () => {};
  #isFirst = true;
  #isDirty = false;

  /** There is nothing to reload: mutants in what runs while a file is loaded are ignored. */
  capabilities() {
    return { reloadEnvironment: true };
  }

  async init(config = 'test/mutants/stryker.vitest.config.ts'): Promise<void> {
    this.#channel.onmessage = ({ data }: { data: Answer | Order }) => {
      if (!('type' in data)) this.#answered(data);
    };
    const loaded = this.#answer();
    const vitest = await createVitest('test', { config, watch: false, silent: true, reporters: [{}] });
    void vitest.runTestSpecifications(await vitest.globTestSpecifications());
    await loaded;
  }

  async dryRun() {
    return { status: 'complete', ...(await this.#ask({ type: 'dry-run' })) };
  }

  async mutantRun({ activeMutant, testFilter = [] }: MutantRun) {
    // Stryker asks again, in a new process.
    if (this.#isDirty) throw new Error('an earlier mutant has left something');
    const { id, fileName: path } = activeMutant;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const late = setTimeout(BUSY_MS, undefined, { ref: false });
    const answer = await Promise.race([this.#ask({ type: 'mutant', id, path, tests: testFilter }), late]);
    if (answer === undefined) {
      this.#isDirty = true;
      return { status: 'timeout' };
    }
    const { tests, killer, dirty = false } = answer;
    this.#isDirty = dirty;
    const nrOfTests = tests.length;
    if (killer !== undefined) {
      const { id: by, failureMessage = '' } = killer;
      return { status: 'killed', killedBy: [by], failureMessage, nrOfTests };
    }
    if (dirty && !isFirst) throw new Error('a mutant has left something');
    return { status: 'survived', nrOfTests };
  }

  #answer(): Promise<Answer> {
    return new Promise((resolve) => {
      this.#answered = resolve;
    });
  }

  #ask(order: Order): Promise<Answer> {
    const answer = this.#answer();
    this.#channel.postMessage(order);
    return answer;
  }
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'one-process', injectableClass: OneProcess }];
