import type { Duplex } from 'node:stream';
import { type Download, failureKind, OutOfTime } from '@ebb/core/adapter';
import { Attempt } from './attempt.ts';
import { type AttemptListener, uploadEvents } from './attempt-listener.ts';
import { Driver } from './driver.ts';
import { headersTimeoutError, isClosedError } from './errors.ts';
import { mirrorGaps } from './gaps.ts';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';
import type { Held } from './held.ts';
import { peekAt } from './peek.ts';
import { downloadOf, isCutOff, readerOf } from './resume.ts';
import { failureKindOf, failureOutcome, responseOutcome } from './traits.ts';

/** The statuses that a `fetch` follows or refuses, and whose body it may leave unread. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A request on its way: what the events of its attempts mean. */
export class Relay extends Driver implements AttemptListener<Attempt> {
  protected override makeAttempt(): Attempt {
    const { onBodySent, onRequestSent } = this.handler;
    const isWatched = typeof onBodySent === 'function' || typeof onRequestSent === 'function';
    const attempt = new Attempt(this);
    // For a handler that listens to the upload, a MockAgent reads the body.
    if (isWatched) Object.assign(attempt, uploadEvents(this));
    attempt.restoreMethods = mirrorGaps(this.handler, this.options, attempt);
    return attempt;
  }

  sent(attempt: Attempt): void {
    // From here on this attempt determines the result.
    this.previous = undefined;
    this.open(attempt.context, attempt.starts > 1);
  }

  informed(attempt: Attempt, head: ResponseHead): void {
    if (this.download === undefined) this.inform(attempt, head);
  }

  responded(attempt: Attempt, head: ResponseHead): void {
    if (this.isSuccess(attempt, head.status)) this.#respond(attempt, head);
    else if (this.download && this.brokenBy) this.#respondedRest(attempt, head, this.download, this.brokenBy);
    else if (this.started?.reads) this.runInAsyncScope(this.#look, this, attempt, head);
    else
      this.#decide(attempt, head, this.judge(attempt, responseOutcome(attempt, head.status, head.headers)));
  }

  #decide(attempt: Attempt, head: ResponseHead, retry: boolean | undefined, held?: Held): void {
    if (retry) this.#setAside(attempt, head, held);
    else if (retry === false) this.#respond(attempt, head, held);
  }

  /** Holds a response back until the policy has inspected it. */
  #look(attempt: Attempt, head: ResponseHead): void {
    const { session } = this;
    const held = attempt.hold(head);
    const outcome = responseOutcome(attempt, head.status, head.headers);
    session
      .look(() => peekAt(attempt, held), this.waits.signal, outcome)
      .then(
        (inspected) => {
          if (!attempt.over) this.#decide(attempt, head, this.judge(attempt, inspected), held);
        },
        (error: Error) => {
          if (attempt.over) return;
          if (error instanceof OutOfTime) {
            attempt.abort(headersTimeoutError(error.timeoutMs));
            return;
          }
          session.fail(outcome, error);
          this.giveUp(attempt, error);
        },
      );
  }

  /** Sets the response aside and waits for the retry, unless it is the rest of a broken one, whose own error then counts. */
  #setAside(attempt: Attempt, head: ResponseHead, held?: Held): void {
    const { brokenBy } = this;
    const { released } = attempt.setAside(held ?? attempt.hold(head), this.session);
    if (brokenBy === undefined) this.answer = attempt;
    this.wait(brokenBy === undefined ? attempt : () => this.fail(brokenBy), released);
  }

  #respond(attempt: Attempt, head: ResponseHead, held?: Held): void {
    const { status, headers } = head;
    if (status >= 300 && REDIRECTS.has(status) && this.started?.holdsSlot) {
      const kept = held ?? attempt.hold(head);
      kept.readOn(this.session.policy.clock);
      this.#play(attempt, kept);
      return;
    }
    this.download = downloadOf(this.options, status, headers);
    if (held !== undefined) {
      this.#play(attempt, held);
    } else {
      attempt.forward();
      this.pass(attempt.connection, head);
    }
  }

  /** A method of its own: its closure is allocated as soon as it is called. */
  #play(attempt: Attempt, held: Held): void {
    attempt.play(() => this.pass(held, held.head));
  }

  /** The response to a request for the rest of a broken one. */
  #respondedRest(attempt: Attempt, head: ResponseHead, download: Download, error: Error): void {
    const { status, headers } = head;
    const isRest = download.mismatch(status, readerOf(headers)) === undefined;
    // A response that is not the rest is a failure, even with a status of success.
    const isMismatch = !isRest && status < 400;
    const retry = this.judge(
      attempt,
      isMismatch ? { type: 'failure', kind: 'unknown', error } : responseOutcome(attempt, status, headers),
    );
    if (retry) {
      this.#setAside(attempt, head);
    } else if (retry === false && isRest) {
      download.isRest = true;
      attempt.forward();
      this.controller.attach(attempt.connection);
    } else if (retry === false) {
      this.giveUp(attempt, error);
    }
  }

  upgraded(attempt: Attempt, head: ResponseHead, socket: Duplex): unknown {
    const retry = this.judge(attempt, responseOutcome(attempt, head.status, head.headers));
    if (retry === false) {
      this.session.bodyEnded();
      return this.passUpgrade(head, socket);
    }
    socket.destroy();
    if (retry) this.wait(() => this.passUpgrade(head, socket));
    return undefined;
  }

  arrived(attempt: Attempt): void {
    attempt.releaseBody();
    this.started?.bodyEnded();
  }

  data(attempt: Attempt, chunk: Buffer): void {
    if (this.download?.has(chunk) === false) this.giveUp(attempt, this.brokenBy as Error);
    else this.passData(chunk);
  }

  ended(attempt: Attempt, trailers: ResponseHeaders, rawTrailers: RawHeaders | undefined): void {
    const { download, brokenBy } = this;
    if (download?.isDone === false && brokenBy !== undefined) {
      this.giveUp(attempt, brokenBy);
    } else {
      // If the response came before the upload was done, undici still waits for the upload.
      this.arrived(attempt);
      this.passEnd(trailers, rawTrailers);
    }
  }

  failed(attempt: Attempt, error: Error): void {
    const { controller, threw, previous } = this;
    // An error that the handler throws ends its request, even if `classify` would retry it.
    if (threw) this.waits.abort(error);
    if (attempt.isQueued && !this.isWaiting) this.body?.abandoned?.();
    const kind = controller.aborted ? 'aborted' : threw ? 'unknown' : failureKindOf(attempt, error);
    const retry = this.judge(attempt, failureOutcome(attempt, kind, error, this.options));
    const isRefused = retry === false && attempt.starts === 0 && isClosedError(error);
    if (isRefused && previous !== undefined) this.finish(previous);
    else this.follow(retry, error);
  }

  broke(attempt: Attempt, error: Error): void {
    const { controller, download } = this;
    if (controller.aborted || this.threw || !download || download.isDone || download.lost !== undefined) {
      this.fail(error);
      return;
    }
    this.brokenBy = error;
    controller.attach(undefined);
    const kind = isCutOff(error) ? 'network' : failureKind(error);
    const retry = this.judge(attempt, failureOutcome(attempt, kind, error, this.options));
    if (retry) this.wait(() => this.fail(error));
    else if (retry === false) this.fail(error);
  }
}
