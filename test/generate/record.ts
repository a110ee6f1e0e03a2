import type { Step } from './step.ts';

export type Origin = 'a' | 'b';

/** What a server has sent for a request. */
export interface Served {
  readonly status: number;
  /** The body that the response has, or would have if it were whole: decoded. */
  readonly content: Buffer;
  /** As it was sent, if that was not the content itself: a client may decode it, or not. */
  readonly coded?: Buffer;
  /** Where in the content what is sent begins: that of a request for the rest. */
  readonly from?: number;
  /** `'whole'`: all of it was written. `'cut'`: the client can see that some is missing. `'short'`: it cannot. */
  sent: 'open' | 'whole' | 'cut' | 'short';
  /** When its last byte was written, in milliseconds. */
  endMs?: number;
}

/** A request that a server has seen. */
export interface Seen {
  readonly at: Origin;
  /** Of the connection, from 1. */
  readonly connection: number;
  /** The number of the call that it belongs to; -1 for a request that user code of a call makes. */
  readonly call: number;
  /** The number of redirects before it. */
  readonly hop: number;
  /** The number of requests of this call before it. */
  readonly index: number;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer[];
  /** True once the body has arrived. */
  isWhole: boolean;
  /** When its headers arrived, in milliseconds. */
  readonly atMs: number;
  readonly step: Step;
  served?: Served;
}
