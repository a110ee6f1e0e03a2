/**
 * What kind of failure an attempt met, as far as it can be known:
 * `connect`: nothing reached the server · `network`: the connection broke, perhaps after the server acted ·
 * `timeout`: no answer in time, perhaps after the server acted · `aborted`: the caller's own wish ·
 * `unknown`: anything else, programming errors above all.
 */
export type FailureKind = 'connect' | 'network' | 'timeout' | 'aborted' | 'unknown';

/** What became of one attempt, in terms that no client owns. */
export type Outcome =
  | {
      readonly type: 'response';
      readonly status: number;
      /** A response header by its lower-case name. */
      header(name: string): string | undefined;
      /**
       * Whether this is, or may be, the outcome of a redirect's target. Then it says nothing of what the server
       * that was asked has done: it cannot count as `refused`.
       */
      readonly redirected?: boolean | undefined;
      /** The URL that the response came from, if the client tells: whose quota it speaks of. */
      readonly url?: string | undefined;
    }
  | {
      readonly type: 'failure';
      readonly kind: FailureKind;
      readonly error: unknown;
      /**
       * As above: `true` unless something proves that the first hop failed, or that there was no other. `false` says
       * that this is proven: if the kind is `connect`, the attempt gives its tokens back.
       */
      readonly redirected?: boolean | undefined;
    };

/** What a policy may know of a request. Read only when it is needed, so that a success costs nothing. */
export interface RequestTraits {
  /** Upper case. */
  readonly method: string;
  readonly url: string;
  /** Whether the body, if there is one, can be sent a second time. */
  readonly replayable: boolean;
  /** A request header by its lower-case name. */
  header(name: string): string | undefined;
}
