import type { RequestTraits } from '@ebb/core';
import { readableBody } from '@ebb/core/adapter';
import type { InternalAxiosRequestConfig } from 'axios';
import type { RequestBody } from './body/request-body.ts';
import { headerOf } from './response.ts';
import { urlOf } from './url.ts';

/** What a policy can ask about a request. Read from the config on each call, so an unused trait costs nothing. */
export class Traits implements RequestTraits {
  readonly config: InternalAxiosRequestConfig;
  readonly #body: RequestBody;
  #url: string | undefined;

  constructor(config: InternalAxiosRequestConfig, body: RequestBody) {
    this.config = config;
    this.#body = body;
  }

  get method(): string {
    return (this.config.method ?? 'GET').toUpperCase();
  }

  get url(): string {
    this.#url ??= urlOf(this.config);
    return this.#url;
  }

  get replayable(): boolean {
    return this.#body.replayable;
  }

  /** As `transformRequest` has left it. A body that is made anew for each attempt is no one's to look at. */
  get body(): unknown {
    return this.#body.isReplaced ? undefined : readableBody(this.config.data);
  }

  header(name: string): string | undefined {
    return headerOf(this.config.headers, name);
  }
}
