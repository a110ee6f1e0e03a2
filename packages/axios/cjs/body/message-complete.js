"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.whenComplete = whenComplete;
const adapter_1 = require("@ebb/core/adapter");
/** How often unread messages are checked, in milliseconds. */
const CHECK_EVERY_MS = 250;
/** A message that was destroyed, because its connection broke for example, will not become complete. */
function isOver({ complete, destroyed }) {
    return complete === true || destroyed === true;
}
/**
 * Messages whose bodies have not arrived, for one clock. Node has no event for the arrival of a body that is not
 * read, so all messages are polled by one timer. It keeps no process alive and runs only while messages are pending.
 */
class MessagePoll {
    #clock;
    #pending = new Set();
    #isScheduled = false;
    constructor(clock) {
        this.#clock = clock;
    }
    add(pending) {
        this.#pending.add(pending);
        this.#schedule();
    }
    #schedule() {
        if (this.#isScheduled || this.#pending.size === 0)
            return;
        this.#isScheduled = true;
        this.#clock.schedule(() => this.#check(), CHECK_EVERY_MS, true);
    }
    #check() {
        this.#isScheduled = false;
        for (const pending of this.#pending) {
            const message = pending.message.deref();
            if (message !== undefined && !isOver(message))
                continue;
            this.#pending.delete(pending);
            pending.ended();
        }
        this.#schedule();
    }
}
const polls = new WeakMap();
function pollOf(clock) {
    let poll = polls.get(clock);
    if (poll === undefined) {
        poll = new MessagePoll(clock);
        polls.set(clock, poll);
    }
    return poll;
}
/** For streams without `complete`: a stream that was collected will not be read any further. */
const collected = new FinalizationRegistry((ended) => ended());
/**
 * Calls `ended` when the body of a Node stream has arrived, even if no one reads it. For a stream that is not
 * known to belong to an `IncomingMessage`, calls it when the stream has been garbage collected.
 */
function whenComplete(stream, request, clock, ended) {
    const message = messageOf(stream, request);
    if (message === undefined) {
        collected.register(stream, ended);
        return;
    }
    if (isOver(message)) {
        ended();
        return;
    }
    const check = () => {
        if (isOver(message))
            ended();
        else
            pollOf(clock).add({ message: new WeakRef(message), ended });
    };
    // Most short bodies arrive with the headers or right after them.
    void (0, adapter_1.nextTurn)().then(check);
}
/** The stream itself, or the message behind a stream that decompresses or counts. */
function messageOf(stream, request) {
    const { res } = (request ?? {});
    return [stream, res].find((one) => typeof one?.complete === 'boolean') ?? undefined;
}
//# sourceMappingURL=message-complete.js.map