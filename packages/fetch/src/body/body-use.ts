/**
 * The use of one response body, and so of its connection, by the response and its clones (branches). It ends when one
 * branch has been read to its end, or all branches have been given up.
 */
export class BodyUse {
  #ended: (() => void) | undefined;
  #branches = 0;
  #stopReadingAhead: (() => void) | undefined;

  constructor(ended: () => void) {
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
    // Cleared first, so that a response that the caller keeps does not keep its call in memory.
    this.#ended = undefined;
    this.#stopReadingAhead?.();
    ended();
  }

  /** Adds a branch. */
  branch(): Branch {
    this.#branches += 1;
    let isOpen = true;
    return {
      use: this,
      giveUp: (gone) => {
        if (!isOpen) return;
        isOpen = false;
        this.#branches -= 1;
        if (this.#branches === 0) this.#giveUp(gone);
      },
    };
  }

  #giveUp(gone: Promise<unknown> | undefined): void {
    // First: the copy that is read ahead is a branch of the stream, which would keep the source from being cancelled.
    this.#stopReadingAhead?.();
    const end = (): void => this.end();
    if (gone === undefined) end();
    else gone.then(end, end);
  }

  /** Marks the body as being read ahead; `stop` ends that. */
  startReadingAhead(stop: () => void): void {
    this.#stopReadingAhead = stop;
  }

  get hasReadAhead(): boolean {
    return this.#stopReadingAhead !== undefined;
  }
}

/** A response or a clone, through which a body can be read. */
export interface Branch {
  readonly use: BodyUse;
  /** Ends this branch. If it is the last one, the connection is closed when `gone` settles. */
  giveUp(gone?: Promise<unknown>): void;
}
