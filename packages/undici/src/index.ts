import type { Readable } from 'node:stream';
import type { RequestOptions } from '@ebb/core';

/** undici has a `RequestOptions` of its own, which the declarations below would mean by that name. */
type EbbOptions = RequestOptions;

/** What a {@link BodyFactory} may return. */
export type MadeBody = string | Uint8Array | Readable | AsyncIterable<string | Uint8Array> | null;

/** Makes a new body for each attempt, so that even a stream can be sent again. */
export type BodyFactory = () => MadeBody | Promise<MadeBody>;

/** The options of an undici method, with a factory in place of the body. */
export type WithBodyFactory<Options> = Omit<Options, 'body'> & { readonly body: BodyFactory };

declare module 'undici' {
  namespace Dispatcher {
    interface DispatchOptions {
      /** Policy options for this request only; `false` bypasses ebb. */
      ebb?: EbbOptions | undefined;
    }
    interface ConnectOptions<TOpaque = null> {
      /** Policy options for this request only; `false` bypasses ebb. */
      ebb?: EbbOptions | undefined;
    }
    interface UpgradeOptions {
      /** Policy options for this request only; `false` bypasses ebb. */
      ebb?: EbbOptions | undefined;
    }
  }

  interface Dispatcher {
    request<TOpaque = null>(
      options: WithBodyFactory<Dispatcher.RequestOptions<TOpaque>>,
    ): Promise<Dispatcher.ResponseData<TOpaque>>;
    stream<TOpaque = null>(
      options: WithBodyFactory<Dispatcher.RequestOptions<TOpaque>>,
      factory: Dispatcher.StreamFactory<TOpaque>,
    ): Promise<Dispatcher.StreamData<TOpaque>>;
  }

  function request<TOpaque = null>(
    url: string | URL,
    options: WithBodyFactory<Omit<Dispatcher.RequestOptions<TOpaque>, 'origin' | 'path' | 'method'>> & {
      dispatcher?: Dispatcher;
      method?: Dispatcher.HttpMethod;
    },
  ): Promise<Dispatcher.ResponseData<TOpaque>>;
  function stream<TOpaque = null>(
    url: string | URL,
    options: WithBodyFactory<Omit<Dispatcher.RequestOptions<TOpaque>, 'origin' | 'path'>> & {
      dispatcher?: Dispatcher;
    },
    factory: Dispatcher.StreamFactory<TOpaque>,
  ): Promise<Dispatcher.StreamData<TOpaque>>;
}

export { ebbInterceptor } from './interceptor.ts';
