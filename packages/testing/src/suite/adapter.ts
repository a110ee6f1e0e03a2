import type { Attempt, Policy } from '@ebb/core';
import type { Ability, ExpectedResult, RowRequest, Trait } from './row.ts';
import type { StartUpstream } from './step.ts';

/** The response as the caller of any client gets it. */
export interface Got {
  readonly status: number;
  /** The whole body, as text. */
  readonly body: string;
}

/** A client with ebb. */
export interface Client {
  /**
   * Sends a request, and reads its body to the end. Rejects as the client does, but resolves for an error that carries a
   * response.
   */
  send(url: string, sent: RowRequest, signal?: AbortSignal): Promise<Got>;
  /** `attemptsOf` for the last response; `undefined` before it. Absent for an adapter that lacks `history`. */
  readonly history?: () => readonly Attempt[] | undefined;
  /** Called at the end of each row. */
  close?(): Promise<void>;
}

/** How an adapter differs from a row, because of how its client works, and why. */
export type Difference = Partial<ExpectedResult> & { readonly why: string };

/** Answers a mocked request; a response of type `error` stands for a lost connection. */
export type Respond = (request: Request) => Promise<Response>;

/** A mock that passes requests on. */
export interface Mock {
  /** The URL that the rows request. */
  readonly url: string;
  close?(): unknown;
}

/** An adapter, and what the suite must know of it. */
export interface AdapterUnderTest {
  readonly name: string;
  /**
   * Makes a client for one row.
   *
   * @param limits how many connections it may have at once; `undefined` leaves it to the client
   */
  client(policy: Policy, limits?: { readonly connections: number }): Client;
  /** The abilities that the adapter lacks, and why. Rows in need of a missing ability are skipped for this reason. */
  readonly lacks?: Readonly<Partial<Record<Ability, string>>>;
  /** The traits of the adapter, which the rows expect. */
  readonly does?: readonly Trait[];
  /**
   * The `name` of its error for a timeout.
   * @default 'TimeoutError'
   */
  readonly timeoutError?: string;
  /** Rows to skip, by name, and why. */
  readonly skips?: Readonly<Record<string, string>>;
  /** Rows that pass differently, by name, and why. */
  readonly differs?: Readonly<Record<string, Difference>>;
  /** Starts a mock in place of the upstream over `node:http`. Rows that need a server over sockets are then skipped. */
  mock?(respond: Respond): Promise<Mock>;
  /** Starts the upstream of a row elsewhere, for instance for a page, which cannot start one. */
  readonly upstream?: StartUpstream;
}
