// An adapter for node:http. `attempt` is the client, whose responses come whole; what follows it tells ebb about it.
import { once } from 'node:events';
import { type Agent, type IncomingMessage, request as send } from 'node:http';
import type { Readable } from 'node:stream';
import { createPolicy, type PolicyOptions, type RequestOptions } from '@ebb/core';
import {
  type Call,
  failureKind,
  nativeSignal,
  nextTurn,
  run,
  sendWithin,
  startCall,
  takeUpload,
  timeoutError,
  timeoutOf,
} from '@ebb/core/adapter';

interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly ebb?: RequestOptions | undefined;
}

async function attempt(url: string, { body, ...ask }: Ask, agent: Agent, call?: Call) {
  const headers = new Headers(ask.headers);
  for (const [name, value] of Object.entries(call?.headerChanges ?? {})) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  const late = new AbortController();
  const ms = call && timeoutOf(call);
  const giveUp = () => late.abort(timeoutError(ms as number));
  const forget = ms === undefined ? undefined : call?.policy.clock.schedule(giveUp, ms);
  const signal = AbortSignal.any([late.signal, ask.signal ?? late.signal]);
  try {
    const sent = send(url, { method: ask.method, headers: Object.fromEntries(headers), agent, signal });
    const answered = once(sent, 'response');
    // After the response the rest of an upload may fail.
    sent.on('error', () => undefined);
    if (typeof body === 'object') body.pipe(sent);
    else sent.end(body);
    const [response] = (await answered) as [IncomingMessage];
    return { response, body: Buffer.concat(await response.toArray()) };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    forget?.();
  }
}

/** A function that sends requests over `agent`. */
export function createRequest(options: PolicyOptions, agent: Agent) {
  const policy = createPolicy(options);
  return async (url: string, given: Ask) => {
    // Each attempt sends these headers, also if their owner changes them meanwhile.
    const headers = { ...given.headers };
    const { method = 'GET', body, ebb } = given;
    const signal = given.signal && nativeSignal(given.signal);
    const ask = { ...given, headers, signal };
    const header = (name: string) => new Headers(headers).get(name) ?? undefined;
    const traits = { method, url, header, body, replayable: typeof body !== 'object' };
    if (ebb === false) return attempt(url, ask, agent);
    return run<Awaited<ReturnType<typeof attempt>>>(
      startCall(policy, traits, ebb, undefined, 'socket'),
      {
        send: (call) => sendWithin(call, () => attempt(url, ask, agent, call)),
        outcome: ({ response: { statusCode: status = 0, headersDistinct } }) => {
          return { type: 'response', status, header: (name) => headersDistinct[name]?.join(', ') };
        },
        failure: (error) => ({ type: 'failure', kind: failureKind(error), error, redirected: false }),
        followUpload: takeUpload(body),
        // A connection is free in the turn after its response.
        setAside: () => ({ released: nextTurn() }),
        peek(settled) {
          const parts = [(settled as { body: Buffer }).body];
          return { read: async () => parts.shift(), stop: () => undefined };
        },
      },
      signal,
    );
  };
}
