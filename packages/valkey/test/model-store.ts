import type { Clock } from '@ebb/core';
import { sleep } from '@ebb/core/bucket';
import type { StoreClient } from '../src/store-client.ts';
import { type Answer, model } from './model.ts';

/** `up` · `refusing`: an error at once · `silent`: no answer, ever · `frozen`: none before it is up again. */
export type Health = 'up' | 'refusing' | 'silent' | 'frozen';

/** The twin of a script: what the key holds is the last of what it returns. */
type Model = (text: string | undefined, args: readonly string[], nowUs: number) => Answer;

/** A store under a virtual clock, one for a whole fleet: the script's twin, with a network before it. */
export class ModelStore implements StoreClient {
  readonly keys: Map<string, string>;
  /** The modes of all calls that were made, done or not. */
  readonly calls: string[] = [];
  /** How long a message takes, each way. */
  latencyMs = 0.25;
  /** What part of that a message takes. Where it varies, they overtake each other, as on several connections. */
  jitter: () => number = () => 1;
  /** The answer to whatever is asked while it is refusing. */
  error: Error = new Error('ECONNREFUSED');
  /** What its clock is ahead. */
  aheadMs = 0;
  #health: Health = 'up';
  #knowsScript = false;
  #thawed: (() => void)[] = [];
  readonly #clock: Clock;
  readonly #model: Model;

  /** With the keys of another, it is another connection to the same store. */
  constructor(clock: Clock, keys: Map<string, string> = new Map(), twin: Model = model) {
    this.#clock = clock;
    this.keys = keys;
    this.#model = twin;
  }

  set health(health: Health) {
    this.#health = health;
    if (health !== 'up') return;
    const thawed = this.#thawed;
    this.#thawed = [];
    for (const go of thawed) go();
  }

  forgetScripts(): void {
    this.#knowsScript = false;
  }

  async evalsha(_sha1: string, key: string, args: readonly string[]): Promise<unknown> {
    await this.#travel();
    if (!this.#knowsScript) {
      await sleep(this.#clock, this.latencyMs * this.jitter());
      throw new Error('NOSCRIPT No matching script. Please use EVAL.');
    }
    return this.#run(key, args);
  }

  async eval(_script: string, key: string, args: readonly string[]): Promise<unknown> {
    await this.#travel();
    this.#knowsScript = true;
    return this.#run(key, args);
  }

  async #travel(): Promise<void> {
    await sleep(this.#clock, this.latencyMs * this.jitter());
    if (this.#health === 'refusing') throw this.error;
    if (this.#health === 'silent') await new Promise(() => {});
    if (this.#health === 'frozen') await new Promise<void>((resolve) => this.#thawed.push(resolve));
  }

  async #run(key: string, args: readonly string[]): Promise<unknown> {
    this.calls.push(args[0] ?? '');
    const nowUs = Math.floor((this.#clock.now() + this.aheadMs) * 1_000) + 6e13;
    const answer = this.#model(this.keys.get(key), args, nowUs);
    if (answer[7] !== '') this.keys.set(key, answer[7]);
    await sleep(this.#clock, this.latencyMs * this.jitter());
    return answer;
  }
}
