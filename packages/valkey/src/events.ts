/** What holds while the store cannot be asked: a share of the quota, everything, or nothing. */
export type OnStoreError = 'local' | 'open' | 'closed';

/** Something that happened between a bucket and its store. */
export type StoreEvent = {
  /** The key of the bucket in the store. */
  readonly key: string;
  /** Milliseconds since the epoch, on the bucket's clock. */
  readonly atMs: number;
} & (
  | {
      /** The store did not answer in time, or with an error. From now on `mode` holds. */
      readonly type: 'lost';
      /** The client's own, if it has one. An error of a login does not contain the password. */
      readonly error: unknown;
      readonly mode: OnStoreError;
      /** The share of the quota that this process has meanwhile. */
      readonly share: number;
    }
  | {
      /** The bucket is shared again. */
      readonly type: 'back';
      /** How long it was not, in milliseconds. */
      readonly outageMs: number;
    }
);

/** Is told of every event, as it happens. */
export type StoreObserver = (event: StoreEvent) => void;
