import { bufferBytes, isWebReadable } from '@ebb/core/adapter';
import type { InternalAxiosRequestConfig } from 'axios';
import { abortUpload, BufferedForm, closeWith } from '#platform';
import type { BufferedForm as Form } from './buffered-form.ts';
import { type BodyFactory, closeBody, type FactoryBody, isSingleUse } from './factory-body.ts';

/** The body of a request: the caller's `data`, or what is sent in its place. */
export class RequestBody {
  readonly #data: unknown;
  readonly #bytes: number | undefined;
  readonly #factory: FactoryBody | undefined;
  #form: Form | undefined;

  /**
   * @param factory there if `data` was a function
   * @throws TypeError for a function that a later interceptor has set, which the transforms have seen
   */
  constructor(data: unknown, factory: FactoryBody | undefined) {
    this.#data = data;
    this.#bytes = bufferBytes(data);
    if (typeof data !== 'function') return;
    if (factory === undefined)
      throw new TypeError('data: a body function must be set before ebb’s interceptor runs');
    this.#factory = factory;
  }

  /** If `data` is a form that can be buffered, buffers it so that it can be sent more than once. */
  bufferForm(): void {
    this.#form = BufferedForm?.of(this.#data);
  }

  get replayable(): boolean {
    return this.isReplaced || (!isSingleUse(this.#data) && bufferBytes(this.#data) === this.#bytes);
  }

  /** Whether each attempt sends what {@link next} returns in place of `data`. */
  get isReplaced(): boolean {
    return (this.#factory ?? this.#form) !== undefined;
  }

  /**
   * The body of the next attempt, if {@link isReplaced}; sets its headers in the config.
   *
   * @param isOver true if the attempt has ended before its body was made
   * @throws HookError as {@link FactoryBody.next} does
   */
  next(config: InternalAxiosRequestConfig, isOver: () => boolean): unknown {
    return (
      this.#factory?.next(config, this.#data as BodyFactory, isOver) ??
      (BufferedForm && this.#form?.next(config))
    );
  }

  /** Closes the body that was made for the current attempt. */
  release(): void {
    this.#factory?.release();
  }

  /** Closes the caller's stream if no attempt was sent. */
  closeUnsent(reason: unknown): void {
    closeBody(this.#data, reason);
  }

  /**
   * Closes the body that was made for the last attempt, which failed, unless it was read to its end. With a
   * streamed response it waits for that to close first.
   */
  closeUpload(data: unknown, request: unknown): void {
    if (this.#factory?.isOpen !== true) return;
    const isStreamed = closeWith ? closeWith(data, () => this.release()) : false;
    if (isStreamed || isWebReadable(data)) return;
    this.release();
    if (abortUpload) abortUpload(request ?? {});
  }
}
