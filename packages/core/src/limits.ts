/** What is asked of a bucket. */
export interface Ask {
  /**
   * Tokens.
   * @default 1
   */
  readonly cost?: number | undefined;
  /** Gives up the wait, with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
  /** The longest wait, in milliseconds; a longer one is refused at once. */
  readonly maxWaitMs?: number | undefined;
}

/** Tokens that were had. */
export interface Grant {
  readonly cost: number;
  /** How long they took to come, in milliseconds. */
  readonly waitedMs: number;
}

/** Tokens that refill at a rate: a request takes some before it is sent. */
export interface TokenBucket {
  /** Takes the tokens now, if they are there and nobody waits for them. */
  tryAcquire(cost?: number): boolean;
  /** Takes the tokens when it is this asker's turn; first come, first served. */
  acquire(ask?: Ask): Promise<Grant>;
}

/** A share of the traffic that may be retries. */
export interface RetryBudget {
  /** How many retries it would allow now. */
  readonly balance: number;
  /** Tells of a request that went well. */
  deposit(): void;
  /** Asks for one retry. */
  withdraw(): boolean;
}
