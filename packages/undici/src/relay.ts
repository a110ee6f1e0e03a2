import type { Duplex } from 'node:stream';
import {
  addsCredentials,
  areLayered,
  LAYER,
  mayBeSentAtOnce,
  mustTrust,
  OutOfTime,
  originOf,
  type Session,
  startSession,
} from '@ebb/core/adapter';
import { type Download, rememberOf } from '@ebb/core/resuming';
import type { Dispatcher } from 'undici';
import { Attempt } from './attempt.ts';
import { type AttemptListener, uploadEvents } from './attempt-listener.ts';
import { bodyOf } from './body/body-of.ts';
import type { Composition } from './composition.ts';
import { Driver } from './driver.ts';
import { headersTimeoutError, isClosedError } from './errors.ts';
import { mirrorGaps } from './gaps.ts';
import {
  type RawHeaders,
  type ResponseHead,
  type ResponseHeaders,
  withRereadableHeaders,
} from './headers.ts';
import type { Held } from './held.ts';
import { peekAt } from './peek.ts';
import { downloadOf } from './resume.ts';
import { downloadResumer } from './resume-request.ts';
import { ResumedBody } from './resumed-body.ts';
import { failureKindOf, failureOutcome, responseOutcome, Traits } from './traits.ts';

interface Layered {
  readonly [LAYER]?: unknown;
}

/** The statuses that a `fetch` follows or refuses, and whose body it may leave unread. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A request on its way: what the events of its attempts mean. */
class Relay extends Driver implements AttemptListener<Attempt> {
  /** True if it asks for the rest of a download, whose break another request deals with. */
  declare isRest?: true;
  /** The response that the handler is receiving, if it can go on after a break. */
  #download: Download | undefined;
  /** What goes on after a break. */
  #resumed: ResumedBody | undefined;

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
    this.inform(attempt, head);
  }

  responded(attempt: Attempt, head: ResponseHead): void {
    if (this.isSuccess(attempt, head.status)) this.#respond(attempt, head);
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

  /** Sets the response aside and waits for the retry. */
  #setAside(attempt: Attempt, head: ResponseHead, held?: Held): void {
    const { released } = attempt.setAside(held ?? attempt.hold(head), this.session);
    this.answer = attempt;
    this.wait(attempt, released);
  }

  #respond(attempt: Attempt, head: ResponseHead, held?: Held): void {
    const { status, headers } = head;
    if (status >= 300 && REDIRECTS.has(status) && this.started?.holdsSlot) {
      const kept = held ?? attempt.hold(head);
      kept.readOn(this.session.policy.clock);
      this.#play(attempt, kept);
      return;
    }
    if (!this.isRest) this.#download = downloadOf(this.options, status, headers);
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

  data(_: Attempt, chunk: Buffer): void {
    this.#download?.take(chunk);
    this.passData(chunk);
  }

  ended(attempt: Attempt, trailers: ResponseHeaders, rawTrailers: RawHeaders | undefined): void {
    // If the response came before the upload was done, undici still waits for the upload.
    this.arrived(attempt);
    this.passEnd(trailers, rawTrailers);
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
    const { controller, started } = this;
    const download = this.#download;
    const isOwn = controller.aborted || this.threw || started?.isInner;
    if (isOwn || download === undefined || download.isDone) this.fail(error);
    else this.#resume(attempt, download, error);
  }

  /** The rest of a download is asked for by a request of its own. */
  #resume(attempt: Attempt, download: Download, error: Error): void {
    this.started?.bodyEnded();
    this.closeBodies();
    const { composition, options, body } = this;
    const { policy, request } = this.session;
    const resumer = downloadResumer(download, { options, body, policy, request }, () => resumed.attempt);
    const send = (rest: Dispatcher.DispatchOptions, handler: Attempt): boolean =>
      relay({ ...composition, policy }, rest, handler, true);
    const resumed = new ResumedBody({ downstream: this, resumer, made: this.made, send }, attempt);
    this.#resumed = resumed;
    resumed.broke(attempt, error);
  }

  override note(result: unknown): void {
    if (this.#resumed) rememberOf(result as object, this.made);
    else super.note(result);
  }

  override aborted(reason: Error | undefined): void {
    if (this.over) return;
    if (this.#resumed) this.#resumed.abort(reason);
    else super.aborted(reason);
  }
}

/** `ebb` options hold for this layer only, not for a layer below. */
function withoutEbb({ ebb: _, ...others }: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
  return others;
}

/**
 * True if nothing has to be made for a request before its first failure. A dispatcher does not know what is below it. Its first
 * response shows that: a layer below has found the call, or has noted a history. A layer that shows itself later, as below a
 * dispatcher that chooses by origin, retries in place of this one until then.
 */
function isSentAtOnce(
  { policy, hasBelow }: Composition,
  given: Dispatcher.DispatchOptions & Layered,
): boolean {
  return (
    given.ebb === undefined &&
    given[LAYER] === undefined &&
    (hasBelow === false || !areLayered()) &&
    mayBeSentAtOnce(policy)
  );
}

/**
 * A credential goes to the origin of the options, whatever a whole URL in their path says.
 *
 * @throws TypeError if the policy trusts no one, or it is not known whom the request goes to
 */
function checkTrust({ policy, request }: Session, { origin }: Dispatcher.DispatchOptions): void {
  if (!addsCredentials(policy)) return;
  mustTrust('ebb', policy);
  const isOwn = origin
    ? originOf({ url: String(origin) }) === originOf(request)
    : !Array.isArray(policy.trustedOrigins);
  if (!isOwn)
    throw new TypeError('ebb: with trustedOrigins a request must have an `origin`, that of its URL');
}

/**
 * Dispatches a request through the policy.
 *
 * @param isRest true if it asks for the rest of a download, and leaves a break to the one above
 */
export function relay(
  composition: Composition,
  given: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
  isRest = false,
): boolean {
  const { ebb } = given;
  const own = ebb === undefined ? given : withoutEbb(given);
  if (ebb === false) return composition.dispatch(own, handler);
  let request: Relay;
  try {
    const options = withRereadableHeaders(own);
    const body = bodyOf(options);
    if (body?.make === undefined && isSentAtOnce(composition, given)) {
      request = new Relay(composition, options, body, handler, undefined);
    } else {
      const traits = new Traits(options, body, composition.ownOrigin);
      const session = startSession(
        composition.policy,
        traits,
        ebb,
        (given as Layered)[LAYER],
        'dispatcher',
      ) as Session;
      checkTrust(session, given);
      request = new Relay(composition, options, body, handler, session);
    }
  } catch (error) {
    // undici reports invalid options in the same way.
    handler.onResponseError?.(null as never, error as Error);
    return false;
  }
  if (isRest) request.isRest = true;
  return request.start();
}
