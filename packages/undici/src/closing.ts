import { systemClock } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { isClosedError } from './errors.ts';

/** How often a wait checks whether its dispatcher was closed, in milliseconds of real time. */
const CHECK_EVERY_MS = 100;

/** Never sent: an `Agent` first checks whether it is closed, and then reads the origin, which throws. */
const PROBE = {
  get origin(): never {
    throw new Error('Not a request: a check whether the agent is closed');
  },
  path: '/',
  method: 'GET',
} satisfies Dispatcher.DispatchOptions;

/**
 * Detects that an `Agent` of undici 8 was closed or destroyed while retries wait. undici does not tell an interceptor.
 * But a closed `Agent` refuses every dispatch with an error of its own, and an open one does nothing for a dispatch
 * without an origin.
 */
export class Closing {
  readonly #dispatch: Dispatcher.Dispatch;
  readonly #watchers = new Set<(error: Error) => void>();
  #cancelTimer: (() => void) | undefined;

  private constructor(dispatch: Dispatcher.Dispatch) {
    this.#dispatch = dispatch;
  }

  /**
   * `undefined` if probing would do harm: a `Pool` takes a failed dispatch for a sign that its client is busy, with
   * undici 7 a `Pool` cannot be told from an `Agent`, and another interceptor in between would see the probe.
   *
   * @param args the arguments of the interceptor: undici 8 passes the origin of a `Pool` or a `Client`
   */
  static of(args: readonly unknown[]): Closing | undefined {
    const [dispatch, origin] = args as [Dispatcher.Dispatch, unknown];
    const isAgent = args.length > 1 && origin === undefined && dispatch.name === 'bound dispatch';
    return isAgent ? new Closing(dispatch) : undefined;
  }

  /** Calls back once, with undici's error, when the agent is closed. Returns a function that stops watching. */
  watch(onClosed: (error: Error) => void): () => void {
    this.#watchers.add(onClosed);
    this.#cancelTimer ??= systemClock.schedule(this.#check, CHECK_EVERY_MS);
    return () => {
      this.#watchers.delete(onClosed);
      if (this.#watchers.size > 0) return;
      this.#cancelTimer?.();
      this.#cancelTimer = undefined;
    };
  }

  readonly #check = (): void => {
    this.#cancelTimer = undefined;
    const error = this.#probe();
    if (error === undefined) {
      if (this.#watchers.size > 0) this.#cancelTimer = systemClock.schedule(this.#check, CHECK_EVERY_MS);
      return;
    }
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const onClosed of watchers) onClosed(error);
  };

  #probe(): Error | undefined {
    let refused: Error | undefined;
    const handler = {
      onRequestStart: (controller: Dispatcher.DispatchController) =>
        controller.abort(new Error('Not a request')),
      onResponseError: (_: unknown, error: Error) => {
        refused = error;
      },
    };
    try {
      this.#dispatch(PROBE, handler as Dispatcher.DispatchHandler);
    } catch {
      // Some dispatchers, for example a MockAgent, read the origin first.
    }
    return isClosedError(refused) ? refused : undefined;
  }
}
