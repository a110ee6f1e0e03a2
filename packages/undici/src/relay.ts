import type { Duplex } from 'node:stream';
import { Attempt } from './attempt.ts';
import type { AttemptListener } from './attempt-listener.ts';
import { Driver } from './driver.ts';
import { headOf, type ResponseHead, type ResponseHeaders } from './headers.ts';
import type { Held } from './held.ts';
import { look } from './peek.ts';
import { Download } from './resume.ts';
import { broke, received, respondedRest } from './resuming.ts';
import { isRedirect } from './trail.ts';
import { responseOutcome } from './traits.ts';

/** A request on its way: what the events of its attempts mean, as steps of its driver. */
export class Relay extends Driver implements AttemptListener<Attempt> {
  protected override makeAttempt(): Attempt {
    const { downstream } = this;
    return new Attempt(this, downstream.watchesUpload ? downstream : undefined);
  }

  informed(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void {
    if (this.download === undefined) this.downstream.inform(attempt, status, headers, message);
  }

  responded(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void {
    const { session, download } = this;
    if (download?.brokenBy !== undefined) {
      respondedRest(
        this,
        attempt,
        headOf(attempt.connection, status, headers, message),
        download,
        download.brokenBy,
      );
    } else if (session.reads) {
      this.runInAsyncScope(
        look,
        undefined,
        this,
        attempt,
        headOf(attempt.connection, status, headers, message),
      );
    } else {
      const retry = this.judge(attempt, responseOutcome(attempt, status, headers));
      if (retry) this.setAside(attempt, headOf(attempt.connection, status, headers, message));
      else if (retry === false) this.#respond(attempt, status, headers, message);
    }
  }

  respond(attempt: Attempt, { status, headers, message }: ResponseHead, held: Held): void {
    this.#respond(attempt, status, headers, message, held);
  }

  #respond(
    attempt: Attempt,
    status: number,
    headers: ResponseHeaders,
    message: string | undefined,
    held?: Held,
  ): void {
    const { session, downstream } = this;
    // With a slot: its body may be left unread.
    if (status >= 300 && isRedirect(status) && session.holdsSlot) {
      this.#playRedirect(attempt, held ?? attempt.hold(headOf(attempt.connection, status, headers, message)));
      return;
    }
    this.download = Download.of(session.request, status, headers);
    if (held !== undefined) {
      this.#play(attempt, held);
    } else {
      attempt.forward();
      downstream.respond(attempt.connection, status, headers, message);
    }
  }

  // Methods of their own: their closures are allocated as soon as they are called.

  #play(attempt: Attempt, held: Held): void {
    const { status, headers, message } = held.head;
    attempt.play(held, () => this.downstream.respond(held, status, headers, message));
  }

  #playRedirect(attempt: Attempt, held: Held): void {
    held.readOn(this.session.policy.clock);
    this.#play(attempt, held);
  }

  upgraded(attempt: Attempt, status: number, headers: ResponseHeaders, socket: Duplex): unknown {
    const { session, downstream } = this;
    const { connection } = attempt;
    const retry = this.judge(attempt, responseOutcome(attempt, status, headers));
    if (retry === false) {
      session.bodyEnded();
      return downstream.upgrade(connection, status, headers, socket);
    }
    socket.destroy();
    if (retry) this.wait(() => downstream.upgrade(connection, status, headers, socket));
    return undefined;
  }

  arrived(attempt: Attempt): void {
    attempt.releaseBody();
    this.session.bodyEnded();
  }

  data(attempt: Attempt, chunk: Buffer): void {
    if (this.download === undefined) this.downstream.data(chunk);
    else received(this, attempt, chunk, this.download);
  }

  ended(attempt: Attempt, trailers: ResponseHeaders): void {
    const { download } = this;
    if (download?.brokenBy !== undefined && !download.isComplete) {
      this.giveUp(attempt, download.brokenBy);
    } else {
      // If the response came before the upload was done, undici still waits for the upload.
      this.arrived(attempt);
      this.downstream.end(attempt.connection, trailers);
    }
  }

  broke(attempt: Attempt, error: Error): void {
    broke(this, attempt, error);
  }

  failedAgain(error: Error): void {
    this.downstream.failAgain(error);
  }
}
