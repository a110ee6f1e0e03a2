import type { Readable } from 'node:stream';
import type { RequestOptions as EbbOptions } from '@ebb/core';

/** What a {@link BodyFactory} may make. */
export type MadeBody = string | Uint8Array | Readable | AsyncIterable<string | Uint8Array> | null;

/** Makes the body anew for each attempt, so that even a stream can be sent again. */
export type BodyFactory = () => MadeBody | Promise<MadeBody>;

/** Options of undici with a factory in place of the body. */
export type WithBodyFactory<Options> = Omit<Options, 'body'> & { readonly body: BodyFactory };

declare module 'undici' {
  namespace Dispatcher {
    interface DispatchOptions {
      /** Changes of the policy for this request; `false` sends it as if ebb were not there. */
      ebb?: EbbOptions | undefined;
    }
    interface ConnectOptions<TOpaque = null> {
      /** Changes of the policy for this request; `false` sends it as if ebb were not there. */
      ebb?: EbbOptions | undefined;
    }
    interface UpgradeOptions {
      /** Changes of the policy for this request; `false` sends it as if ebb were not there. */
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
