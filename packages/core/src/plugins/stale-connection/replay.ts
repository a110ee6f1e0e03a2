import { flag } from '../../base/check.ts';
import { type OptionTable, readOptions } from '../../base/options.ts';
import { mayBeRepeated } from '../../call/decide.ts';
import type { FailureOutcome } from '../../http/outcome.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { Plugin } from '../../policy/plugin.ts';
import { listen, lostRequestOf, urlOf } from './connections.ts';

/** Options of {@link replayOnStaleConnection}. */
export interface StaleConnectionOptions {
  /**
   * Also replays requests that may not be repeated after a byte of them was written, as browsers do. A server that has carried out
   * such a request, and closed its connection without an answer, carries it out twice.
   * @default false
   */
  readonly evenIfWritten?: boolean | undefined;
}

const OPTIONS: OptionTable<StaleConnectionOptions> = { evenIfWritten: { check: flag, default: false } };

/**
 * A plugin that sends a request once more, at once, if a kept-alive connection was closed before any byte of the answer. The replay takes
 * tokens, and counts as no retry; events and the history have the reason `stale-connection`. If the replay fails, too, the policy decides.
 *
 * It replays any request of which no byte was written, and requests that the policy may repeat: by their method, or by an idempotency
 * key. A body that can be sent once is not replayed.
 *
 * It also notes `connection` on the outcome of a failure: `new` or `reused`. For Node's HTTP client (so axios), undici, and Node's fetch;
 * where no one tells which connection failed, it does nothing. HTTP/2 is left to undici, which repeats what a server has not processed.
 *
 * Source: RFC 9110 §9.2.2, RFC 9112 §9.3.1; Go, `net/http`, `Transport` (the default); Chromium, `HttpNetworkTransaction` (`evenIfWritten`).
 *
 * @throws TypeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { replayOnStaleConnection } from '@ebb/core/stale-connections';
 *
 * const policy = createPolicy({ plugins: [replayOnStaleConnection()] });
 * ```
 */
export function replayOnStaleConnection(options: StaleConnectionOptions = {}): Plugin {
  const { evenIfWritten } = readOptions('replayOnStaleConnection', options, OPTIONS);
  listen();
  const replayed = new WeakSet<CallView>();
  return {
    name: 'replayOnStaleConnection',
    failed(outcome, call) {
      const lost = lostRequestOf(outcome.error);
      if (!lost) return undefined;
      const { method, url, connection, written, answered } = lost;
      const known: FailureOutcome = { ...outcome, connection };
      const isStale = outcome.kind === 'network' && connection === 'reused' && !answered;
      // The target of a redirect says nothing of the first server, which may have carried out the request.
      const isFirst = method === call.request.method && url === urlOf(call.request.url);
      const isSafe = !written || evenIfWritten;
      if (!isStale || !isFirst || replayed.has(call) || !(isSafe || mayBeRepeated(call.policy, call)))
        return known;
      replayed.add(call);
      return { ...known, redirected: false, advice: { retryNow: 'stale-connection' } };
    },
  };
}
