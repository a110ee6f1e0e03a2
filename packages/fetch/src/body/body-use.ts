/**
 * How the body of one response is used, by the caller and by clones of it. It has ended when any of these branches
 * has come to its end, or all have been given up.
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

  /** Calls this as well, when it has ended. */
  also(ended: () => void): void {
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
    // At once, and no second time: a response that is kept keeps nothing of its call.
    this.#ended = undefined;
    this.#stopReadingAhead?.();
    ended();
  }

  /** Another way to read it; what is returned gives that up. */
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
    // First: what all but one of its readers have cancelled is not cancelled.
    this.#stopReadingAhead?.();
    const end = (): void => this.end();
    if (gone === undefined) end();
    else gone.then(end, end);
  }

  /** Someone reads ahead from now on; `stop` ends that. */
  readsAhead(stop: () => void): void {
    this.#stopReadingAhead = stop;
  }

  get hasReadAhead(): boolean {
    return this.#stopReadingAhead !== undefined;
  }
}

/** One of the ways in which a body may be read. */
export interface Branch {
  readonly use: BodyUse;
  /** The connection is gone when `gone` settles, if no other branch uses it. */
  giveUp(gone?: Promise<unknown>): void;
}
