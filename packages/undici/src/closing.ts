import { systemClock } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { isClosedError } from './errors.ts';

/** How soon a wait notices that its dispatcher was closed, in milliseconds of real time: agents know no other. */
const LOOK_EVERY_MS = 100;

/** No request: an `Agent` looks first whether it is closed, and then at the origin, which throws. */
const NO_REQUEST = {
  get origin(): never {
    throw new Error('This is no request; it asks whether the agent is closed');
  },
  path: '/',
  method: 'GET',
} satisfies Dispatcher.DispatchOptions;

/**
 * Notices that an `Agent` of undici 8 is closed or destroyed while retries wait for their time. undici tells an
 * interceptor nothing of that; but an `Agent` refuses a dispatch with an error of its own then, whatever is
 * dispatched, and does nothing for one without an origin.
 */
export class Closing {
  readonly #dispatch: Dispatcher.Dispatch;
  readonly #watchers = new Set<(error: Error) => void>();
  #callOff: (() => void) | undefined;

  private constructor(dispatch: Dispatcher.Dispatch) {
    this.#dispatch = dispatch;
  }

  /**
   * Nothing where it cannot be known without harm: a `Pool` takes a failed dispatch for a sign that its client is
   * busy, undici 7 does not tell a `Pool` from an `Agent`, and another interceptor would see the dispatch.
   *
   * @param args what `compose` gave the interceptor: undici 8 names the origin of a `Pool` or a `Client`
   */
  static of(args: readonly unknown[]): Closing | undefined {
    const [dispatch, origin] = args as [Dispatcher.Dispatch, unknown];
    const isAgent = args.length > 1 && origin === undefined && dispatch.name === 'bound dispatch';
    return isAgent ? new Closing(dispatch) : undefined;
  }

  /** Calls back once, with undici's error, when it is closed; returns what calls that off. */
  watch(onClosed: (error: Error) => void): () => void {
    this.#watchers.add(onClosed);
    this.#callOff ??= systemClock.schedule(this.#look, LOOK_EVERY_MS);
    return () => {
      this.#watchers.delete(onClosed);
      if (this.#watchers.size > 0) return;
      this.#callOff?.();
      this.#callOff = undefined;
    };
  }

  readonly #look = (): void => {
    this.#callOff = undefined;
    const error = this.#ask();
    if (error === undefined) {
      if (this.#watchers.size > 0) this.#callOff = systemClock.schedule(this.#look, LOOK_EVERY_MS);
      return;
    }
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const onClosed of watchers) onClosed(error);
  };

  #ask(): Error | undefined {
    let refused: Error | undefined;
    const handler = {
      onRequestStart: (controller: Dispatcher.DispatchController) =>
        controller.abort(new Error('No request')),
      onResponseError: (_: unknown, error: Error) => {
        refused = error;
      },
    };
    try {
      this.#dispatch(NO_REQUEST, handler as Dispatcher.DispatchHandler);
    } catch {
      // Some, a MockAgent say, look at the origin first.
    }
    return isClosedError(refused) ? refused : undefined;
  }
}
