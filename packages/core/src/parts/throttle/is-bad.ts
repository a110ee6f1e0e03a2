import { isTrouble } from '../../http/classify.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';

/**
 * True if an outcome says that the service is in trouble: a timeout, no connection or one that broke, 429, 5xx, or a body that was
 * judged so. `undefined` if it says nothing of the service.
 */
export function isBad(outcome: Outcome, { url }: RequestTraits): boolean | undefined {
  if (outcome.type === 'failure') {
    // A function throws if the service that it calls fails. A client may also throw because of a mistake in the program.
    const isSilent = outcome.kind === 'aborted' || (outcome.kind === 'unknown' && url !== '');
    return isSilent ? undefined : true;
  }
  const verdict = outcome.judgement?.verdict;
  if (verdict !== undefined) return verdict === 'refused' || verdict === 'transient';
  return isTrouble(outcome.status);
}
