import { HookError } from '@ebb/core';
import type { AxiosRequestTransformer, InternalAxiosRequestConfig } from 'axios';
import { isOnce } from './body.ts';

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
  #streams: unknown[] = [];
  #last: unknown;

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

  /** @throws HookError when the function throws, or gives a stream that it gave before */
  async next(config: InternalAxiosRequestConfig, factory: BodyFactory): Promise<unknown> {
    let data: unknown;
    try {
      data = await factory();
      if (isOnce(data) && data === this.#last) throw new TypeError('it gave the same stream twice');
    } catch (cause) {
      throw new HookError('data', cause);
    }
    this.#last = data;
    if (!this.#typed) config.headers.delete('content-type');
    const body = transform(config, this.#transforms, data);
    if (/^(post|put|patch)$/.test(config.method ?? '')) config.headers.setContentType(DEFAULT_TYPE, false);
    this.#streams = [data, body];
    return body;
  }

  /** Closes what was made for an attempt that is over and did not read it to its end. */
  release(): void {
    for (const stream of this.#streams.splice(0)) {
      const { readableEnded, destroy } = (stream ?? {}) as { readableEnded?: unknown; destroy?: unknown };
      if (readableEnded === false && typeof destroy === 'function') destroy.call(stream);
    }
  }
}

/** As axios does it. */
function transform(config: InternalAxiosRequestConfig, transforms: Transforms, data: unknown): unknown {
  return [transforms ?? []]
    .flat()
    .reduce((body: unknown, each) => each.call(config, body, config.headers), data);
}
