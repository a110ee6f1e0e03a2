import { HookError, NotSentError } from '../base/errors.ts';
import { codeIn, nameOf } from '../http/failure.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import type { ReportedError, ReportedOutcome, ReportedRequest } from './events.ts';

// Events go to logs, traces and other programs. So an event has nothing that can be a secret: no header, no body, no query, no
// credentials, no error of a client. axios's errors, for instance, contain the headers of their request.

export function reportedRequest({ method, url }: RequestTraits): ReportedRequest {
  return { method, url: withoutSecrets(url) };
}

export function reportedOutcome(outcome: Outcome): ReportedOutcome {
  const { type } = outcome;
  if (type === 'response') return { type, status: outcome.status };
  return { type, kind: outcome.kind, ...codeIn(outcome.error) };
}

export function reportedError(error: unknown): ReportedError {
  if (error instanceof HookError) return { name: error.name, hook: error.hook };
  if (error instanceof NotSentError) {
    const { name, reason, waitMs } = error;
    return { name, reason, ...(waitMs !== undefined && { waitMs }) };
  }
  const name = nameOf(error) ?? typeof error;
  // Without a code it is the name.
  const { code = name } = codeIn(error);
  return code === name ? { name } : { name, code };
}

/**
 * A URL without its credentials, its query and its fragment. A URL without a host, such as `data:`, is cut to its scheme.
 */
export function withoutSecrets(url: string): string {
  const { protocol, host, pathname } = URL.parse(url) ?? {};
  if (protocol === undefined) return relativeUrl(url);
  return host === '' ? protocol : `${protocol}//${host}${pathname}`;
}

/** A relative URL; of other text only what comes before the host, since it is not known where credentials end. */
function relativeUrl(url: string): string {
  return /^[^/\\?#]*[/\\]{2}/.exec(url)?.[0] ?? url.replace(/[?#].*$/s, '');
}
