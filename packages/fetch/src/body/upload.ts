import { bufferBytes } from '@ebb/core/adapter';
import type { InitChanges } from '../changes.ts';
import type { BodyFactory, EbbRequestInit } from '../init.ts';
import { type MadeBody, makeBody } from './body-factory.ts';
import { type KeptBody, keepBody } from './kept-body.ts';
import { isOnce } from './kinds.ts';

/** The body of a call, from its first attempt to its end. */
export class Upload {
  readonly #body: EbbRequestInit['body'];
  /** The `Request` whose body it is, if the init has none. */
  readonly #request: Request | undefined;
  readonly #bytes: number | undefined;
  readonly #kept: KeptBody | undefined;
  #made: MadeBody | undefined;
  /** True once the body that was made has been sent. */
  #isTaken = false;

  constructor(body: EbbRequestInit['body'], request: Request | undefined, isKept: boolean) {
    this.#body = body;
    this.#request = request;
    this.#bytes = bufferBytes(body);
    if (isKept && request !== undefined && !request.bodyUsed) this.#kept = keepBody(request);
  }

  /** True if the next attempt can send the same body. */
  get replayable(): boolean {
    if (this.#request !== undefined) return this.#kept?.whole !== undefined;
    return !isOnce(this.#body) && bufferBytes(this.#body) === this.#bytes;
  }

  get factory(): BodyFactory | undefined {
    return typeof this.#body === 'function' ? this.#body : undefined;
  }

  /** True if the factory has not yet made the body of the attempt. */
  get isMissing(): boolean {
    return this.factory !== undefined && this.#made === undefined;
  }

  /** True if a body was made that has not been sent. */
  get isUnsent(): boolean {
    return this.#made !== undefined && !this.#isTaken;
  }

  /**
   * What an attempt sends in place of the caller's body: the one that the factory has made, or the copy of a `Request`'s body,
   * once it is complete.
   */
  takeBody(): InitChanges | undefined {
    const made = this.#made;
    if (made === undefined) {
      const whole = this.#kept?.whole;
      return whole && { body: whole };
    }
    this.#isTaken = true;
    return made.isOnce ? { body: made.body, duplex: 'half' } : { body: made.body };
  }

  /**
   * Makes the body of an attempt with the caller's factory.
   *
   * @param isOver true if the attempt has ended in the meantime
   * @throws HookError if the factory throws
   */
  async make(isOver: () => boolean): Promise<void> {
    const made = await makeBody(this.#body as BodyFactory);
    if (isOver()) {
      made.close();
      throw new DOMException('the attempt ended before its body was made', 'AbortError');
    }
    this.#made = made;
    this.#isTaken = false;
  }

  /** True if the body that was made for the attempt may still be open. */
  get isOpen(): boolean {
    return this.#made?.isOpen === true;
  }

  /** Closes the body that was made for the attempt. */
  endAttempt(): void {
    this.#made?.close();
    this.#made = undefined;
  }

  /** Ends the copying of a `Request`'s body: there is no further attempt. */
  stopKeeping(): void {
    this.#kept?.stop();
  }
}
