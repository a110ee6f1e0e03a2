import { HookError, isWebReadable, readableBody } from '@ebb/core/adapter';
import type { AxiosRequestTransformer, InternalAxiosRequestConfig } from 'axios';

/**
 * Makes the body of one attempt, for example a newly opened stream. Pass it as `data`; ebb calls it for each
 * attempt. It may return anything that axios accepts as `data`, or a promise of that.
 *
 * The request fails with a HookError if it throws, rejects, or returns the same stream twice.
 */
export type BodyFactory = () => unknown;

type Transforms = InternalAxiosRequestConfig['transformRequest'];

function over(): Error {
  return new Error('the attempt is over');
}

const DEFAULT_TYPE = 'application/x-www-form-urlencoded';

/**
 * The bodies that a {@link BodyFactory} makes. Each goes through `transformRequest` once, when it is made; the
 * factory itself never does.
 */
export class FactoryBody {
  readonly #transforms: Transforms;
  /** Whether the caller set a content type. If not, the header holds axios's guess for a function. */
  #isTyped = false;
  /** The body of the current attempt, before and after the transforms. */
  #made: unknown[] = [];
  #last: unknown;

  /** Replaces the transforms of the config, until {@link restoreTransforms}. */
  constructor(config: InternalAxiosRequestConfig) {
    this.#transforms = config.transformRequest;
    config.transformRequest = [this.#passFactory(this)];
  }

  /** Lets the factory through untouched. A later interceptor may have replaced it: any other body is transformed. */
  #passFactory(body: FactoryBody): AxiosRequestTransformer {
    return function passFactory(data, headers) {
      if (typeof data !== 'function') return transform(this, body.#transforms, data);
      body.#isTyped = headers.hasContentType();
      return data;
    };
  }

  restoreTransforms(config: InternalAxiosRequestConfig): void {
    if (this.#transforms === undefined) delete config.transformRequest;
    else config.transformRequest = this.#transforms;
  }

  /**
   * Makes the body of an attempt. A body that arrives when that is over is closed.
   *
   * @throws HookError if the factory throws or rejects, or returns the stream that it returned before
   */
  async next(config: InternalAxiosRequestConfig, isOver: () => boolean): Promise<unknown> {
    const data = await this.#call(config.data);
    if (isOver()) {
      closeBody(data, over());
      throw new HookError('data', over());
    }
    this.#last = data;
    this.#made = [data];
    if (!this.#isTyped) config.headers.delete('content-type');
    const body = transform(config, this.#transforms, data);
    if (/^(post|put|patch)$/.test(config.method ?? '')) config.headers.setContentType(DEFAULT_TYPE, false);
    this.#made.push(body);
    return body;
  }

  async #call(factory: BodyFactory): Promise<unknown> {
    try {
      const data = await factory();
      if (isSingleUse(data) && data === this.#last) throw new TypeError('it returned the same stream twice');
      return data;
    } catch (cause) {
      throw new HookError('data', cause);
    }
  }

  /** Whether the current attempt has a stream, which may not have been read to its end. */
  get isOpen(): boolean {
    return this.#made.some(isSingleUse);
  }

  /** Closes the body of an attempt that is over. */
  release(): void {
    for (const body of this.#made.splice(0)) closeBody(body, over());
  }
}

/** As axios applies them. */
function transform(config: InternalAxiosRequestConfig, transforms: Transforms, data: unknown): unknown {
  return [transforms ?? []]
    .flat()
    .reduce((body: unknown, each) => each.call(config, body, config.headers), data);
}

/** Whether sending a body uses it up: Node and web streams, the `form-data` package, iterators. */
export function isSingleUse(data: unknown): data is object {
  return typeof data === 'object' && data !== null && readableBody(data) === undefined;
}

/** The ways in which a single-use body can be closed. */
interface Closable {
  readonly readableEnded?: unknown;
  /** The parts of a form of the `form-data` package, each a stream or a wrapper with the stream as `source`. */
  readonly _streams?: readonly (Closable | null | undefined)[];
  readonly source?: unknown;
  destroy?(): unknown;
  return?(): unknown;
}

/**
 * Closes a single-use body that will not be read any further, so that a file behind it does not stay open. Leaves
 * a body that has ended, a locked web stream and any other value alone. Never throws.
 */
export function closeBody(data: unknown, reason: unknown): void {
  if (!isSingleUse(data)) return;
  const body: Closable = data;
  try {
    if (isWebReadable(data)) {
      if (!data.locked) data.cancel(reason).catch(() => undefined);
      return;
    }
    if (Array.isArray(body._streams)) {
      for (const part of body._streams) closeBody(part?.source ?? part, reason);
    }
    // Destroyed without an error: one that no listener handles would end the process.
    if (typeof body.destroy !== 'function') Promise.resolve(body.return?.()).catch(() => undefined);
    else if (body.readableEnded !== true) body.destroy();
  } catch {
    // A custom stream may throw; there is nothing left to close.
  }
}
