import { LAYER } from '@ebb/core/adapter';
import type { InternalAxiosRequestConfig } from 'axios';

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
    // axios deep-copies plain objects. An object with a prototype is passed on by reference.
    const mark: unknown = Object.create(layer);
    this.#config[LAYER] = mark;
    this.#config.fetchOptions = { ...this.#fetchOptions, [LAYER]: mark };
    delete this.#config.ebb;
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
