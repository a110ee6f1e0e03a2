import { createRequire } from 'node:module';
import { type BucketState, type Operation, type OperationResult, operate } from '../operator-call.ts';
import { isDenied, messageOf, withoutSecrets } from '../store-error.ts';
import { type Arguments, readArguments, UsageError } from './arguments.ts';
import { changeOf } from './changes.ts';
import { connect } from './clients.ts';
import { type Connection, StoreError, withTimeout } from './connection.ts';
import { HELP, RIGHTS } from './help.ts';
import { inOneLine } from './one-line.ts';
import { bucketJson, bucketText } from './show.ts';
import { type Output, watch } from './watch.ts';

/** The streams and the environment of the command. */
export interface Terminal {
  readonly stdout: Output;
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
}

const DONE = 0;
const FAILED = 1;
const WRONG_USE = 2;
const NOT_CHANGED = 3;

/** The version of this package, whether from its sources or from a build. */
function version(): string {
  const { version } = createRequire(import.meta.url)('@ebb/valkey/package.json') as {
    readonly version: string;
  };
  return version;
}

/** The error of a store, in the words of an operator. */
function explain(error: unknown, { command, prefix }: Arguments): unknown {
  const message = messageOf(withoutSecrets(error));
  if (isDenied(error))
    return new StoreError(`${command} needs the rights ${RIGHTS[command]} ~${prefix}*: ${message}`);
  const [, own] = /\bEBB (.*?)(?:, on @user_script.*| script: [\da-f]{40}.*)?$/s.exec(message) ?? [];
  if (own !== undefined) return new StoreError(own);
  if (/WRONGTYPE/.test(message)) return new StoreError('the key does not hold a bucket');
  return error instanceof StoreError || error instanceof UsageError ? error : new StoreError(message);
}

class Session {
  readonly #connected: Connection;
  readonly #asked: Arguments;
  readonly #out: Output;

  constructor(connected: Connection, asked: Arguments, out: Output) {
    this.#connected = connected;
    this.#asked = asked;
    this.#out = out;
  }

  operate(key: string, operation: Operation): Promise<OperationResult> {
    return withTimeout(operate(this.#connected.store, key, operation), 'the store did not reply');
  }

  async #inspect(key: string): Promise<BucketState> {
    const operated = await this.operate(key, { type: 'inspect' });
    if (operated.type === 'done') return operated.state;
    throw new StoreError(`there is no bucket ${key} in the store: it is full and quiet, or was never used`);
  }

  async run(): Promise<number> {
    const { command, key, prefix, json, once } = this.#asked;
    if (command === 'watch') {
      const { scan } = this.#connected;
      await watch(
        { prefix: `${prefix}{`, name: key, json, once },
        scan,
        (each, does) => this.operate(each, does),
        this.#out,
      );
      return DONE;
    }
    const whole = `${prefix}{${key}}`;
    const state = await this.#inspect(whole);
    if (command !== 'inspect') return this.#change(whole, state);
    this.#out.write(
      json ? `${inOneLine(JSON.stringify(bucketJson(whole, state)))}\n` : bucketText(whole, state),
    );
    return DONE;
  }

  async #change(key: string, state: BucketState): Promise<number> {
    const { command, yes, ifVersion } = this.#asked;
    const { operation, diff } = changeOf(this.#asked, state);
    if (ifVersion !== undefined && ifVersion !== state.version)
      return this.#said(key, diff, changed(state.version));
    if (diff.length === 0) return this.#said(key, diff, 'this is so already', DONE);
    if (!yes) {
      const sure = command === 'set' ? `--yes --if-version ${state.version}` : '--yes';
      return this.#said(key, diff, `nothing was changed: add ${sure} to do it`);
    }
    const operated = await this.operate(key, operation);
    if (operated.type === 'done') return this.#said(key, diff, 'done', DONE);
    return this.#said(
      key,
      diff,
      operated.type === 'changed' ? changed(operated.version) : 'nothing was changed: it is gone',
    );
  }

  /** Prints a change and what came of it. Returns the exit code. */
  #said(key: string, diff: readonly string[], result: string, code: number = NOT_CHANGED): number {
    const isDone = code === DONE && diff.length > 0;
    const lines = [key, ...diff.map((line) => `  ${line}`), result].map(inOneLine).join('\n');
    this.#out.write(
      `${this.#asked.json ? inOneLine(JSON.stringify({ key, diff, isDone, result })) : lines}\n`,
    );
    return code;
  }
}

const changed = (version: number): string =>
  `nothing was changed: the limits have changed meanwhile, and are of version ${version}`;

/** The command `ebb-valkey`. Returns the exit code, which {@link HELP} explains. */
export async function ebbValkey(args: readonly string[], terminal: Terminal): Promise<number> {
  const { stdout, stderr, env } = terminal;
  let connected: Connection | undefined;
  try {
    const asked = readArguments(args, env);
    if (asked === 'help' || asked === 'version') {
      stdout.write(asked === 'help' ? HELP : `${version()}\n`);
      return DONE;
    }
    try {
      connected = await connect(asked.target);
      return await new Session(connected, asked, stdout).run();
    } catch (error) {
      throw explain(error, asked);
    }
  } catch (error) {
    if (error instanceof UsageError) {
      stderr.write(`ebb-valkey: ${inOneLine(error.message)}\nSee ebb-valkey --help.\n`);
      return WRONG_USE;
    }
    stderr.write(`ebb-valkey: ${inOneLine(messageOf(error))}\n`);
    return FAILED;
  } finally {
    connected?.close();
  }
}
