import { failureKind } from '@ebb/core/adapter';
import type { Attempt } from './attempt.ts';
import type { ResponseHead } from './headers.ts';
import { type Download, isCutOff } from './resume.ts';
import type { Steps } from './steps.ts';
import { failureOutcome, responseOutcome } from './traits.ts';

/** True if the error of an attempt in a body is the end of the request: its download cannot be resumed. */
function isFinal({ downstream, download }: Steps): boolean {
  return downstream.controller.aborted || downstream.threw || download === undefined || download.isComplete;
}

/** An attempt has failed in a body that the handler is receiving. */
export function broke(steps: Steps, attempt: Attempt, error: Error): void {
  const { downstream, download, options } = steps;
  if (isFinal(steps)) {
    steps.finish(error);
    return;
  }
  (download as Download).brokenBy = error;
  downstream.controller.attach(undefined);
  const kind = isCutOff(error) ? 'network' : failureKind(error);
  const retry = steps.judge(attempt, failureOutcome(attempt, kind, error, options));
  if (retry) steps.wait(error);
  else if (retry === false) steps.finish(error);
}

/** The response to a request for the rest of a broken download. */
export function respondedRest(
  steps: Steps,
  attempt: Attempt,
  head: ResponseHead,
  download: Download,
  brokenBy: Error,
): void {
  const { status, headers } = head;
  const isRest = download.isContinuedBy(status, headers);
  // A response that is not the rest of the download is a failure, even with a status of success.
  const isMismatch = !isRest && status < 400;
  const outcome = isMismatch
    ? ({ type: 'failure', kind: 'unknown', error: brokenBy } as const)
    : responseOutcome(attempt, status, headers);
  const retry = steps.judge(attempt, outcome);
  if (retry) {
    steps.setAside(attempt, head);
  } else if (retry === false && isRest) {
    attempt.forward();
    steps.downstream.controller.attach(attempt.connection);
  } else if (retry === false) {
    steps.giveUp(attempt, brokenBy);
  }
}

/** A chunk of a response that can be resumed. */
export function received(steps: Steps, attempt: Attempt, chunk: Buffer, download: Download): void {
  const isWithin = download.take(chunk);
  if (!isWithin && download.brokenBy !== undefined) {
    steps.giveUp(attempt, download.brokenBy);
    return;
  }
  // Longer than the server said: an interceptor changes the body, so offsets in it are not those of the server.
  if (!isWithin) steps.download = undefined;
  steps.downstream.data(chunk);
}
