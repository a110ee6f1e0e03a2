import { callHook } from '../../base/errors.ts';
import { changesIn } from '../../loop/header-changes.ts';
import type { HeaderChanges, HeaderChangesInit } from '../../loop/hooks.ts';

/** The headers to send from now on; nothing if `beforeAttempt` has them. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that stores its token returns nothing
type Fresh = HeaderChangesInit | undefined | void;

/** Gets new credentials. */
export type Refresh = () => Fresh | Promise<Fresh>;

/** Credentials that all calls of a policy share. */
export class Credentials {
  readonly #refresh: Refresh;
  /** The refresh that is under way. */
  pending: Promise<void> | undefined;
  /** What the last refresh that was successful has returned. */
  headers: HeaderChanges | undefined;
  /** How many refreshes have ended: an attempt that was sent before the last one has old credentials. */
  ended = 0;
  /** What the last refresh has failed with. */
  failure: { readonly cause: unknown } | undefined;

  constructor(refresh: Refresh) {
    this.#refresh = refresh;
  }

  /** Refreshes, or waits for the refresh that is under way. @throws HookError if that returns something else than headers */
  renew(): Promise<void> {
    this.pending ??= this.#run();
    return this.pending;
  }

  async #run(): Promise<void> {
    let made: Fresh;
    this.failure = undefined;
    try {
      const refresh = this.#refresh;
      made = await refresh();
    } catch (cause) {
      this.failure = { cause };
    }
    this.ended += 1;
    this.pending = undefined;
    // A mistake of the program is to be seen: it is no refusal of what gives the tokens.
    if (made !== undefined) this.headers = callHook('refresh', () => changesIn('refresh', made));
  }
}
