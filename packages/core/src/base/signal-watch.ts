/**
 * All who wait under one signal, by lane. One listener serves them: with one each an abort of all would take the
 * square of their number, and Node warns of a leak from the eleventh.
 *
 * Who leaves is only counted, and sorted out when half of a list is gone: to find each at once would cost as
 * much memory again as the waiting itself.
 */
export class SignalWatch<W> {
  readonly #lanes = new Map<number, W[]>();
  #members = 0;
  #listed = 0;
  #ended = false;
  readonly #isMember: (one: W, watch: SignalWatch<W>) => boolean;
  readonly #stop: () => void;

  /**
   * `listen` has a function called when the signal aborts, and returns how to call that off. `onEnd` is called
   * when the signal aborts, and when the last has left.
   */
  constructor(
    listen: (end: () => void) => () => void,
    isMember: (one: W, watch: SignalWatch<W>) => boolean,
    onEnd: (watch: SignalWatch<W>) => void,
  ) {
    this.#isMember = isMember;
    const end = (): void => {
      if (this.#ended) return;
      this.#ended = true;
      callOff();
      onEnd(this);
    };
    this.#stop = end;
    const callOff = listen(end);
  }

  add(one: W, lane: number): void {
    const list = this.#lanes.get(lane);
    if (list === undefined) this.#lanes.set(lane, [one]);
    else list.push(one);
    this.#members += 1;
    this.#listed += 1;
  }

  /** One is no member any more. */
  left(): void {
    this.#members -= 1;
    if (this.#members === 0) this.#stop();
    else if (!this.#ended && this.#listed > 2 * this.#members + 32) {
      for (const [lane, list] of this.#lanes) {
        this.#lanes.set(
          lane,
          list.filter((one) => this.#isMember(one, this)),
        );
      }
      this.#listed = this.#members;
    }
  }

  *members(): Generator<[one: W, lane: number]> {
    for (const [lane, list] of this.#lanes) {
      for (const one of list) if (this.#isMember(one, this)) yield [one, lane];
    }
  }
}
