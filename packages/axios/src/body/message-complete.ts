import type { Clock } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';

/** How often unread messages are checked, in milliseconds. */
const CHECK_EVERY_MS = 250;

/** Node's `IncomingMessage`: `complete` is true once its last byte has been received, read or not. */
interface Message {
  readonly complete?: unknown;
  readonly destroyed?: unknown;
}

/** A message that was destroyed, because its connection broke for example, will not become complete. */
function isOver({ complete, destroyed }: Message): boolean {
  return complete === true || destroyed === true;
}

interface Pending {
  /** Weak, so that a message that the caller drops can be collected. */
  readonly message: WeakRef<Message>;
  readonly ended: () => void;
}

/**
 * Messages whose bodies have not arrived, for one clock. Node has no event for the arrival of a body that is not
 * read, so all messages are polled by one timer. It keeps no process alive and runs only while messages are pending.
 */
class MessagePoll {
  readonly #clock: Clock;
  readonly #pending: Set<Pending> = new Set();
  #isScheduled = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(pending: Pending): void {
    this.#pending.add(pending);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#pending.size === 0) return;
    this.#isScheduled = true;
    this.#clock.schedule(() => this.#check(), CHECK_EVERY_MS, true);
  }

  #check(): void {
    this.#isScheduled = false;
    for (const pending of this.#pending) {
      const message = pending.message.deref();
      if (message !== undefined && !isOver(message)) continue;
      this.#pending.delete(pending);
      pending.ended();
    }
    this.#schedule();
  }
}

const polls = new WeakMap<Clock, MessagePoll>();

function pollOf(clock: Clock): MessagePoll {
  let poll = polls.get(clock);
  if (poll === undefined) {
    poll = new MessagePoll(clock);
    polls.set(clock, poll);
  }
  return poll;
}

/** For streams without `complete`: a stream that was collected will not be read any further. */
const collected = new FinalizationRegistry<() => void>((ended) => ended());

/**
 * Calls `ended` when the body of a Node stream has arrived, even if no one reads it. For a stream that is not
 * known to belong to an `IncomingMessage`, calls it when the stream has been garbage collected.
 */
export function whenComplete(stream: object, request: unknown, clock: Clock, ended: () => void): void {
  const message = messageOf(stream, request);
  if (message === undefined) {
    collected.register(stream, ended);
    return;
  }
  if (isOver(message)) {
    ended();
    return;
  }
  const check = (): void => {
    if (isOver(message)) ended();
    else pollOf(clock).add({ message: new WeakRef(message), ended });
  };
  // Most short bodies arrive with the headers or right after them.
  void nextTurn().then(check);
}

/** The stream itself, or the message behind a stream that decompresses or counts. */
function messageOf(stream: Message, request: unknown): Message | undefined {
  const { res } = (request ?? {}) as { res?: Message | null };
  return [stream, res].find((one) => typeof one?.complete === 'boolean') ?? undefined;
}
