import type { AxiosInstance } from 'axios';
import type { Dispatcher } from 'undici';

export type Fetch = (url: string) => Promise<Response>;

export type Dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => boolean;

/** What a library wraps, by the folder that its file stands in. */
export interface Clients {
  readonly fetch: Fetch;
  readonly undici: Dispatch;
  readonly axios: AxiosInstance;
}

export type Kind = keyof Clients;

/** A library around a client. One more rival is one more file in the folder of its client, and its name is its own. */
export interface Rival<K extends Kind> {
  /**
   * Wraps a client as the library's own page does, with its defaults. May change and return the client itself. With `nth` it is
   * one of several in the program, which differ in how often they retry.
   */
  wrap(bare: Clients[K], nth?: number): Clients[K];
  /** The same, retrying a 503 up to five times, each time after so many milliseconds. Absent if it does not retry. */
  retrying?(bare: Clients[K], delayMs: number): Clients[K];
  /**
   * What it cannot be measured without: a response with headers, because it reads them, or a caller who also reads the body,
   * because it holds something until then. @default nothing
   */
  readonly needs?: 'response' | 'reader';
  /** A program whose bundle contains it. Absent if it is part of the client, or of another rival. */
  readonly bundle?: string;
}
