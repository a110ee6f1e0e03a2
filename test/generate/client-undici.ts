import { Readable, Writable } from 'node:stream';
import { createPolicy } from '@ebb/core';
import { hedged as hedgeInterceptor } from '@ebb/hedge/undici';
import { resumable } from '@ebb/resume/undici';
import { ebbInterceptor } from '@ebb/undici';
import * as undici8 from 'undici';
import * as undici7 from 'undici7';
import { agentOf } from './agents.ts';
import type { Client, Making, Sent } from './client.ts';
import { fetchReply, type Reply, readReply, streamReply } from './reply.ts';

type Undici = typeof undici8;
type Interceptor = undici8.Dispatcher.DispatcherComposeInterceptor;

/** A dispatcher that reports failures without an error. */
const blank: Interceptor = (dispatch) => (options, handler) =>
  dispatch(options, {
    onRequestStart: (...args) => handler.onRequestStart?.(...args),
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (controller) => handler.onResponseError?.(controller, undefined as never),
  });

/** The interceptors of a case, from the connection up. */
function chainOf({ of, policy, inner }: Making, { interceptors }: Undici): Interceptor[] {
  const { redirects, hedge, isResuming, isBlank } = of.parts;
  const chain: Interceptor[] = isBlank ? [blank] : [];
  const follow = (): Interceptor => interceptors.redirect({ maxRedirections: 3 });
  const made = policy && createPolicy(policy);
  if (redirects === 'below') chain.push(follow());
  if (hedge && made)
    chain.push(hedgeInterceptor({ policy: made, share: 1, delayMs: hedge.delayMs, maxHedges: hedge.max }));
  if (inner) chain.push(ebbInterceptor(inner));
  if (made) chain.push(ebbInterceptor(made));
  if (redirects === 'above') chain.push(follow());
  if (isResuming && made) chain.push(resumable({ policy: made }));
  return chain;
}

/** A writable that collects what it is given. */
class Sink extends Writable {
  readonly parts: Buffer[] = [];
  readonly #givesUp: boolean;
  status = 0;

  /** @param givesUp true if it is destroyed after the first part */
  constructor(givesUp: boolean) {
    super();
    this.#givesUp = givesUp;
  }

  override _write(part: Buffer, _encoding: string, done: () => void): void {
    this.parts.push(part);
    done();
    if (this.#givesUp) setImmediate(() => this.destroy());
  }
}

type Way = (sent: Sent, options: object, undici: Undici) => Promise<Reply>;

const WAYS: Readonly<Record<string, Way>> = {
  async 'undici-request'({ url }, options, { request }) {
    const { statusCode, body } = await request(url, options);
    const reply = streamReply(statusCode, body);
    return { ...reply, all: async () => Buffer.from(await body.arrayBuffer()) };
  },
  async 'undici-stream'({ url, givesUp }, options, { stream }) {
    const sink = new Sink(givesUp);
    await stream(url, options as never, ({ statusCode }) => {
      sink.status = statusCode;
      return sink;
    });
    return readReply(sink.status, Buffer.concat(sink.parts));
  },
  'undici-pipeline'({ url, body }, options, { pipeline }) {
    const { body: _, ...own } = options as { body?: unknown };
    return new Promise((resolve, reject) => {
      const duplex = pipeline(url, own as never, ({ statusCode, body: from }) => {
        resolve(streamReply(statusCode, duplex));
        return from;
      });
      // An error before the response, or an end without one.
      duplex.on('error', reject);
      if (body instanceof Readable) body.once('error', reject).pipe(duplex);
      else duplex.end();
    });
  },
  async 'dispatcher-fetch'({ url, body }, options, { fetch }) {
    const isStream =
      body instanceof Readable ||
      body instanceof ReadableStream ||
      (Object(body) === body && Symbol.asyncIterator in (body as object));
    const init = { ...options, ...(isStream && { duplex: 'half' }) };
    return fetchReply((await fetch(url, init as never)) as never);
  },
};

export function undiciClient(making: Making): Client {
  const { client, parts } = making.of;
  const undici = (parts.isUndici7 ? undici7 : undici8) as Undici;
  const { agent, close } = agentOf(undici);
  const chain = chainOf(making, undici);
  const dispatcher = chain.length > 0 ? agent.compose(...chain) : agent;
  const way = WAYS[client] as Way;
  return {
    send(sent) {
      const { method, headers, body, signal } = sent;
      const options = {
        method,
        headers,
        dispatcher,
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      };
      return way(sent, options, undici);
    },
    close,
  };
}
