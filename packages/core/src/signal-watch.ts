interface Watch<M> {
  readonly members: Set<M>;
  readonly stop: () => void;
}

/**
 * One listener for each signal, however many wait under it. With one each an abort of all of them would take
 * the square of their number, and Node warns of a leak from the eleventh.
 */
export class SignalWatch<M> {
  readonly #watches = new Map<AbortSignal, Watch<M>>();
  readonly #onAbort: (members: Iterable<M>, reason: unknown) => void;

  /** `onAbort` is told of all who wait under a signal at once. */
  constructor(onAbort: (members: Iterable<M>, reason: unknown) => void) {
    this.#onAbort = onAbort;
  }

  add(signal: AbortSignal, member: M): void {
    const known = this.#watches.get(signal);
    if (known !== undefined) {
      known.members.add(member);
      return;
    }
    const members = new Set([member]);
    const listener = (): void => {
      stop();
      this.#onAbort(members, signal.reason);
    };
    const stop = (): void => {
      this.#watches.delete(signal);
      signal.removeEventListener('abort', listener);
    };
    signal.addEventListener('abort', listener);
    this.#watches.set(signal, { members, stop });
  }

  /** Does nothing for one that is not there. The last to leave takes the listener along. */
  remove(signal: AbortSignal, member: M): void {
    const watch = this.#watches.get(signal);
    if (watch?.members.delete(member) && watch.members.size === 0) watch.stop();
  }
}
