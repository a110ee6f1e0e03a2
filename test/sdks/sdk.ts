import type { Policy, PolicyOptions } from '@ebb/core';
import type { EbbFetch } from '@ebb/fetch';
import type { Answer, Reply } from './upstream.ts';

/** How a client of an SDK is made. */
export interface Making {
  readonly url: string;
  /** ebb, in whose favour the SDK does not retry; without it the SDK retries by itself. */
  readonly ebb?: { readonly policy: Policy; readonly fetch: EbbFetch } | undefined;
  /** The SDK's own timeout, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** What a client of an SDK can do here. Both reject unless the result is that of a good answer. */
export interface Client {
  /** Sends a POST. The signal is the caller's, in an SDK that takes one. */
  send(signal?: AbortSignal): Promise<unknown>;
  /** Sends a POST, and reads the event stream that it gets; of GraphQL, a query. */
  stream?(): Promise<unknown>;
  /** Sends the same, and leaves the event stream after its first part. */
  leave?(): Promise<void>;
}

/** A row of the table: what the upstream answers first. The second answer is a good one. */
export interface Row {
  readonly name: string;
  readonly answer: Answer | ((nowMs: number) => Answer);
  /** How long the answer asks to wait, in milliseconds. */
  readonly askedMs?: number;
  /** Whether the request should be sent again. */
  readonly wanted: 'again' | 'once';
  /** Sent with `stream` instead of `send`. */
  readonly isStream?: boolean;
  /** The SDK's own timeout, and the `attemptTimeoutMs` of ebb. */
  readonly timeoutMs?: number;
}

/** An SDK in the table. */
export interface Sdk {
  /** Its package. */
  readonly name: string;
  /** The preset, as it is written on the page. */
  readonly presetName: string;
  preset(options: { repeatPosts?: boolean }): PolicyOptions;
  client(making: Making): Client;
  /** The body of an error of that status. */
  error(status: number): string;
  readonly good: Reply;
  readonly goodStream?: Reply;
  /** The header of this provider that says whether to retry. */
  readonly verdictHeader?: string;
  /** The SDK has a timeout of its own. */
  readonly hasTimeout: boolean;
  /** Its calls take a signal of the caller. */
  readonly takesSignal: boolean;
  /** Answers of this provider only. */
  readonly rows: readonly Row[];
}

/** A JSON body of a 200. */
export function ok(body: unknown): Reply {
  return { status: 200, body: JSON.stringify(body) };
}

/** An event stream of a 200. */
export function events(...lines: string[]): Reply {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: lines.join('\n\n').concat('\n\n'),
  };
}
