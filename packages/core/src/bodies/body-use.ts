import type { Clock } from '../base/time.ts';
import type { BodyContext } from '../http/body.ts';

/** Gives up branches that were garbage-collected. The reader of a branch holds the branch while it reads. */
const collected = /* @__PURE__ */ new FinalizationRegistry((use: BodyUse) => use.giveUp());

/**
 * The use of one response body, and so of its connection, by the response and its clones (branches). It ends when one
 * branch has been read to its end, or all branches have been given up.
 */
export class BodyUse {
  readonly clock: Clock;
  /** The caller's. */
  readonly signal: AbortSignal | undefined;
  /** The branches, until {@link letGo} or the end. */
  held: readonly Response[] | undefined;
  /** Set once the body is read ahead. */
  stopReadingAhead: (() => void) | undefined;
  #branches = 1;
  #ended: (() => void) | undefined;

  /** @param ended called at the end */
  constructor(first: Response, { clock, signal }: Pick<BodyContext, 'clock' | 'signal'>, ended: () => void) {
    this.held = [first];
    this.clock = clock;
    this.signal = signal;
    this.#ended = ended;
  }

  get isOver(): boolean {
    return this.#ended === undefined;
  }

  /** Adds a callback for the end; calls it at once if the use has ended. */
  onEnd(ended: () => void): void {
    const before = this.#ended;
    if (before === undefined) {
      ended();
      return;
    }
    this.#ended = () => {
      before();
      ended();
    };
  }

  end(): void {
    const ended = this.#ended;
    if (ended === undefined) return;
    // Cleared first: a response that the caller keeps must not keep its call in memory.
    this.#ended = undefined;
    this.held = undefined;
    this.stopReadingAhead?.();
    this.stopReadingAhead = undefined;
    ended();
  }

  /** Adds a clone. */
  add(branch: Response): void {
    this.#branches += 1;
    if (this.held === undefined) collected.register(branch, this, branch);
    else this.held = [...this.held, branch];
  }

  /**
   * Allows the garbage collection of the branches, and returns them. The use holds the branches before that, because most
   * responses are read at once, and a registration takes longer.
   */
  letGo(): readonly Response[] {
    const { held = [] } = this;
    this.held = undefined;
    for (const branch of held) collected.register(branch, this, branch);
    return held;
  }

  /** Ends a branch that was cancelled. If it is the last one, the connection is closed when `gone` settles. */
  cancel(branch: Response, gone: Promise<unknown>): void {
    collected.unregister(branch);
    this.held = this.held?.filter((one) => one !== branch);
    this.giveUp(gone);
  }

  giveUp(gone?: Promise<unknown>): void {
    this.#branches -= 1;
    if (this.#branches > 0) return;
    // First: the copy that is read ahead is a branch of the stream, which would keep the source from being cancelled.
    this.stopReadingAhead?.();
    const end = (): void => this.end();
    if (gone === undefined) end();
    else gone.then(end, end);
  }
}
