import { NotSentError } from '../../base/errors.ts';
import { type OptionTable, readOptions } from '../../base/options.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { Plugin } from '../../policy/plugin.ts';
import { checkHeader, ENVOY, RETRIES_HEADER, timeText } from './header.ts';

/** Options of {@link deadline}. */
export interface DeadlineOptions {
  /**
   * The header for the time that is left: whole milliseconds, or with `'grpc-timeout'` a number and its unit.
   * @default 'x-envoy-expected-rq-timeout-ms'
   */
  readonly header?: string | undefined;
  /**
   * The header for services that leave retries to this one.
   * @default 'x-caller-retries'
   */
  readonly retriesHeader?: string | undefined;
}

/** As `remainingFrom` has them, too. */
export const HEADERS: OptionTable<DeadlineOptions> = {
  header: { check: checkHeader, default: ENVOY },
  retriesHeader: { check: checkHeader, default: RETRIES_HEADER },
};

/** The time after which the client no longer waits for the attempt, in milliseconds. */
function leftMs({ deadline, policy, hookMs = 0 }: CallView): number {
  return Math.min(deadline?.leftMs ?? Infinity, (policy.attemptTimeoutMs ?? Infinity) - hookMs);
}

/**
 * A plugin that sends the time left with each attempt, to every origin. This is the rest of `totalTimeoutMs`, or the shorter
 * `attemptTimeoutMs`, read as the attempt is sent. The service reads it with {@link remainingFrom}, and gives up when its client has.
 *
 * A second header (`x-caller-retries: 1`) tells the service to leave retries to its caller. A request whose time is up is not sent.
 *
 * Source: gRPC, "PROTOCOL-HTTP2" (`grpc-timeout`); Envoy, "HTTP header manipulation" (`x-envoy-expected-rq-timeout-ms`); Google, "Site
 * Reliability Engineering", chapter 22 (deadlines between services, retries at one level).
 *
 * @throws TypeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { deadline } from '@ebb/core/deadlines';
 *
 * const policy = createPolicy({ totalTimeoutMs: 2_000, plugins: [deadline()] });
 * ```
 */
export function deadline(options: DeadlineOptions = {}): Plugin {
  const { header, retriesHeader } = readOptions('deadline', options, HEADERS);
  return {
    name: 'deadline',
    started(call) {
      if ((call.deadline?.leftMs ?? 1) <= 0)
        throw new NotSentError('Not sent: its time is up', undefined, { reason: 'wait-too-long' });
    },
    publicHeaders: (_, call) => ({
      ...(leftMs(call) < Infinity && { [header]: () => timeText(header, Math.max(0, leftMs(call))) }),
      [retriesHeader]: '1',
    }),
  };
}
