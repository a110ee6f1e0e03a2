import { LAYER } from '@ebb/core/adapter';
import type { AxiosAdapter, InternalAxiosRequestConfig } from 'axios';

/** A config with the mark of the layers above. */
export type MarkedConfig = Omit<InternalAxiosRequestConfig, 'fetchOptions'> & {
  [LAYER]?: unknown;
  fetchOptions?: { [LAYER]?: unknown };
};

/** What a config carries of the layers above: itself, from another axios, or in what it has for fetch. */
export function carriedBy(config: MarkedConfig): unknown {
  return config[LAYER] ?? config.fetchOptions?.[LAYER];
}

/**
 * Marks a config for the layers below: a fetch is given its `fetchOptions`, another instance of axios a copy of
 * it. What the caller gave for this layer they do not see.
 */
export class LayerMark {
  readonly #config: MarkedConfig;
  readonly #fetchOptions: MarkedConfig['fetchOptions'];
  readonly #ebb: MarkedConfig['ebb'];
  readonly #isNeeded: boolean;

  constructor(config: InternalAxiosRequestConfig, adapter: AxiosAdapter) {
    const { adapterName } = adapter as { adapterName?: string };
    this.#config = config as MarkedConfig;
    this.#fetchOptions = this.#config.fetchOptions;
    this.#ebb = config.ebb;
    // Below Node's http and XMLHttpRequest there is no layer that would look at a config.
    this.#isNeeded = adapterName !== 'http' && adapterName !== 'xhr';
  }

  set(layer: object): void {
    if (!this.#isNeeded) return;
    // axios copies plain objects, deep; of one with a prototype of its own all see the same.
    const mark: unknown = Object.create(layer);
    this.#config[LAYER] = mark;
    this.#config.fetchOptions = { ...this.#fetchOptions, [LAYER]: mark };
    delete this.#config.ebb;
  }

  /** Puts back what was there, less what a layer above may have marked it with. */
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
