import { HookError } from '@ebb/core';
import type { AxiosRequestTransformer, InternalAxiosRequestConfig } from 'axios';
import { closeBody, isOnce } from './stream.ts';

/** Makes the body of one attempt: a stream that is opened anew, say. May be given as `data`. */
export type BodyFactory = () => unknown;

type Transforms = InternalAxiosRequestConfig['transformRequest'];

const DEFAULT_TYPE = 'application/x-www-form-urlencoded';

/**
 * A body that the caller's function makes for each attempt. It goes through `transformRequest` when it is made:
 * each body once, and never the function in place of a body.
 */
export class MadeBody {
  readonly #transforms: Transforms;
  /** Whether the caller said what type the body has; if not, axios has put its own guess by now. */
  #typed = false;
  /** What was made for the attempt under way. */
  #made: unknown[] = [];
  #last: unknown;
  /** Goes on with each attempt that begins, and each that is over. */
  #round = 0;

  constructor(config: InternalAxiosRequestConfig) {
    this.#transforms = config.transformRequest;
    config.transformRequest = [this.#hold(this)];
  }

  /** What runs in place of the transforms. An interceptor that runs later may still put another body there. */
  #hold(made: MadeBody): AxiosRequestTransformer {
    return function hold(data, headers) {
      if (typeof data !== 'function') return transform(this, made.#transforms, data);
      made.#typed = headers.hasContentType();
      return data;
    };
  }

  restoreTransforms(config: InternalAxiosRequestConfig): void {
    if (this.#transforms === undefined) delete config.transformRequest;
    else config.transformRequest = this.#transforms;
  }

  /**
   * Makes the body of an attempt. What is made for one that was given up meanwhile is closed when it comes.
   *
   * @throws HookError when the function throws, or gives a stream that it gave before
   */
  async next(config: InternalAxiosRequestConfig, factory: BodyFactory): Promise<unknown> {
    this.#round += 1;
    const round = this.#round;
    const data = await this.#make(factory);
    this.#last = data;
    this.#made = [data];
    if (round !== this.#round) {
      this.release();
      throw new HookError('data', new Error('the attempt was over before the body was made'));
    }
    if (!this.#typed) config.headers.delete('content-type');
    const body = transform(config, this.#transforms, data);
    if (/^(post|put|patch)$/.test(config.method ?? '')) config.headers.setContentType(DEFAULT_TYPE, false);
    this.#made.push(body);
    return body;
  }

  async #make(factory: BodyFactory): Promise<unknown> {
    try {
      const data = await factory();
      if (isOnce(data) && data === this.#last) throw new TypeError('it gave the same stream twice');
      return data;
    } catch (cause) {
      throw new HookError('data', cause);
    }
  }

  /** Whether a stream that was made may not be at its end. */
  get isOpen(): boolean {
    return this.#made.some(isOnce);
  }

  /** Closes what was made for an attempt that is over and did not read it to its end. */
  release(): void {
    this.#round += 1;
    for (const body of this.#made.splice(0)) closeBody(body, new Error('the attempt is over'));
  }
}

/** As axios does it. */
function transform(config: InternalAxiosRequestConfig, transforms: Transforms, data: unknown): unknown {
  return [transforms ?? []]
    .flat()
    .reduce((body: unknown, each) => each.call(config, body, config.headers), data);
}
