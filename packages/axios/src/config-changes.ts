import type { SentHeaders } from '@ebb/core/adapter';
import { LAYER } from '@ebb/core/adapter';
import type { InternalAxiosRequestConfig } from 'axios';

// What an attempt changes in the config of its request, and restores.

type Headers = InternalAxiosRequestConfig['headers'];

/** Headers of the same class, which may be another copy's, with these values. */
export function copyWith(headers: Headers, values: object | undefined): Headers {
  return Object.assign(Object.create(Object.getPrototypeOf(headers)), values);
}

/** A copy of the headers with the changes of an attempt. Adapters write into it too: the original stays as it is. */
export function changed(headers: Headers, changes: SentHeaders): Headers {
  const copy = copyWith(headers, headers);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) copy.delete(name);
    else copy.set(name, value, true);
  }
  return copy;
}

/** A config that carries the mark of the ebb layers above, itself or in its `fetchOptions`. */
type MarkedConfig = Omit<InternalAxiosRequestConfig, 'fetchOptions'> & {
  [LAYER]?: unknown;
  fetchOptions?: { [LAYER]?: unknown };
};

/** The mark that an outer layer left in a config. */
export function outerLayerOf(config: InternalAxiosRequestConfig): unknown {
  const { [LAYER]: mark, fetchOptions } = config as MarkedConfig;
  return mark ?? fetchOptions?.[LAYER];
}

/**
 * What stands in a config for a layer. axios copies plain objects deeply, and passes on an instance of a class by reference. Not
 * an object whose prototype is the layer: V8 makes a hidden class for each prototype, which costs 5 µs in garbage collection.
 */
class Mark {}

/**
 * Marks a config so that ebb layers below know that this one retries. The mark stands in the config, which another
 * axios instance receives as a copy, and in its `fetchOptions`, which are passed to fetch. The caller's `ebb`
 * options are for this layer alone and are hidden from those below.
 */
export class LayerMark {
  readonly #config: MarkedConfig;
  readonly #fetchOptions: MarkedConfig['fetchOptions'];
  readonly #ebb: MarkedConfig['ebb'];

  constructor(config: InternalAxiosRequestConfig) {
    this.#config = config as MarkedConfig;
    this.#fetchOptions = this.#config.fetchOptions;
    this.#ebb = config.ebb;
  }

  set(layer: object): void {
    const mark = Object.assign(new Mark(), layer);
    this.#config[LAYER] = mark;
    this.#config.fetchOptions = { ...this.#fetchOptions, [LAYER]: mark };
    if (this.#ebb !== undefined) delete this.#config.ebb;
  }

  /** Restores the config, without the mark of an outer layer. */
  remove(): void {
    delete this.#config[LAYER];
    if (this.#fetchOptions === undefined) delete this.#config.fetchOptions;
    else {
      const { [LAYER]: _, ...fetchOptions } = this.#fetchOptions;
      this.#config.fetchOptions = LAYER in this.#fetchOptions ? fetchOptions : this.#fetchOptions;
    }
    if (this.#ebb !== undefined) this.#config.ebb = this.#ebb;
  }
}

/** What an attempt that has timed out may go on with. */
export type Held = Pick<InternalAxiosRequestConfig, 'cancelToken' | 'headers'>;

/**
 * What the config of an attempt has that has timed out. A custom adapter may go on with it: it may have ignored its token, or
 * wait for something else. While ebb waits for the retry the config stays as it was in the attempt. Its token is
 * canceled, so that axios sends nothing more through another instance or its fetch adapter, and what is sent nevertheless
 * has the attempt's headers, an idempotency key for example.
 */
export function heldBy({ cancelToken, headers }: InternalAxiosRequestConfig): Held {
  return { cancelToken, headers };
}

/** Puts the values that were held back into a config, and returns those that they replace. */
export function replaced(config: InternalAxiosRequestConfig, held: Held): Held {
  const before = heldBy(config);
  Object.assign(config, held);
  if (held.cancelToken === undefined) delete config.cancelToken;
  return before;
}
