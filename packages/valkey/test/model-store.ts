import type { Clock } from '@ebb/core';
import { sleep } from '@ebb/core/bucket';
import { OPERATOR_SCRIPT } from '../src/operator-script.ts';
import type { StoreClient } from '../src/store-client.ts';
import { model, type ScriptReply } from './model.ts';
import { operatorModel } from './operator-model.ts';

/** `refusing`: an error at once · `silent`: never a reply · `frozen`: no reply before it is `up` again. */
export type Health = 'up' | 'refusing' | 'silent' | 'frozen';

/** A script in TypeScript. */
type Model = (
  text: string | undefined,
  args: readonly string[],
  nowUs: number,
) => { readonly reply: ScriptReply; readonly text: string | undefined };

/** A store under a virtual clock: the model of a script behind a network. */
export class ModelStore implements StoreClient {
  readonly keys: Map<string, string>;
  /** The modes of all calls that the script ran. */
  readonly calls: string[] = [];
  readonly callsByKey: Map<string, number> = new Map();
  /** How long a message takes, each way, in milliseconds. */
  latencyMs = 0.25;
  /** A factor for each message. If it varies, messages overtake each other, as on several connections. */
  jitter: () => number = () => 1;
  /** The error of every call while it is `refusing`. */
  error: Error = new Error('ECONNREFUSED');
  /** How far its clock is ahead, in milliseconds. */
  aheadMs = 0;
  #health: Health = 'up';
  #knowsScript = false;
  #thawed: (() => void)[] = [];
  readonly #clock: Clock;
  readonly #model: Model;

  /** With the keys of another `ModelStore` it is another connection to the same store. */
  constructor(clock: Clock, keys: Map<string, string> = new Map(), script: Model = model) {
    this.#clock = clock;
    this.keys = keys;
    this.#model = script;
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

  async eval(script: string, key: string, args: readonly string[]): Promise<unknown> {
    await this.#travel();
    if (script === OPERATOR_SCRIPT) return this.#run(key, args, operatorModel);
    this.#knowsScript = true;
    return this.#run(key, args);
  }

  async #travel(): Promise<void> {
    await sleep(this.#clock, this.latencyMs * this.jitter());
    if (this.#health === 'refusing') throw this.error;
    if (this.#health === 'silent') await new Promise(() => {});
    if (this.#health === 'frozen') await new Promise<void>((resolve) => this.#thawed.push(resolve));
  }

  async #run(key: string, args: readonly string[], script: Model = this.#model): Promise<unknown> {
    this.calls.push(args[0] ?? '');
    this.callsByKey.set(key, (this.callsByKey.get(key) ?? 0) + 1);
    const nowUs = Math.floor((this.#clock.now() + this.aheadMs) * 1_000) + 6e13;
    const { reply, text } = script(this.keys.get(key), args, nowUs);
    if (text !== undefined) this.keys.set(key, text);
    await sleep(this.#clock, this.latencyMs * this.jitter());
    return reply;
  }
}
