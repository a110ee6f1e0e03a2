"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.NOW = void 0;
exports.hung = hung;
exports.hangs = hangs;
exports.play = play;
const adapter_ts_1 = require("../../adapter.js");
const index_ts_1 = require("../../index.js");
/** When every row starts; the dates in the table are relative to it. */
exports.NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
const ENOUGH = new Error('enough');
/** To be called when the server hangs: lets the attempt time out, or aborts. */
function hung({ abort, policy }, clock, caller) {
    if (abort === 'attempt')
        caller.abort(ENOUGH);
    else
        clock.tick(policy?.attemptTimeoutMs ?? policy?.totalTimeoutMs ?? 0);
}
/** Whether the script hangs until {@link hung} is called. */
function hangs({ abort, policy }) {
    const { attemptTimeoutMs, totalTimeoutMs } = policy ?? {};
    return abort === 'attempt' || (attemptTimeoutMs ?? totalTimeoutMs) !== undefined;
}
/** A client may reject with an error of its own, and have the one of ebb as its cause. */
function thrownBy(error) {
    const { name, cause } = error;
    if (error === ENOUGH || cause === ENOUGH)
        return 'the reason';
    if ([error, cause].some((one) => one?.message === ENOUGH.message)) {
        return 'a copy of the reason';
    }
    return cause?.name === 'ThrottledError' ? 'ThrottledError' : name;
}
function historyOf(error) {
    const [own, cause] = [error, error.cause].map(index_ts_1.attemptsOf);
    return [own, cause].find((history) => history?.length);
}
async function waiting({ bucket, concurrency }, isOver) {
    const count = () => (bucket?.stats().waiting ?? 0) + (concurrency?.stats().waiting ?? 0);
    while (count() === 0 && !isOver())
        await (0, adapter_ts_1.nextTurn)();
}
/** Longer bodies are compared by their length, and not printed. */
const LONGEST_BODY = 10_000;
function shortened(got) {
    if (got === undefined || got.body.length <= LONGEST_BODY)
        return got;
    return { ...got, body: `${got.body.length} characters` };
}
/** Enough turns for a client to end a connection that it gave up. */
const SOME_TURNS = 20;
/** Sends the row's request, and advances virtual time by each delay. */
async function play(row, makeClient, clock, url, caller) {
    const { abort, policy, request = {}, stops } = row;
    const abortAt = abort === 'body' ? 'end' : abort;
    const events = [];
    const onEvent = (event) => {
        events.push(event);
        if (event.type !== 'attempt' && event.type === abortAt)
            void (0, adapter_ts_1.nextTurn)().then(() => caller.abort(ENOUGH));
        else if (event.type === 'retry')
            void (0, adapter_ts_1.nextTurn)().then(() => clock.advance(event.delayMs));
    };
    const limits = row.limits?.(clock) ?? {};
    const inUse = () => limits.concurrency?.stats().inUse ?? 0;
    const before = inUse();
    const stopSignal = stops && caller.signal;
    const client = makeClient((0, index_ts_1.createPolicy)({ random: () => 0, clock, onEvent, stopSignal, ...policy, ...limits }));
    let isOver = false;
    const wait = async () => {
        for (const waitMs of row.waits ?? []) {
            await waiting(limits, () => isOver);
            await clock.advance(waitMs);
        }
        if (abort !== 'limits')
            return;
        await waiting(limits, () => isOver);
        caller.abort(ENOUGH);
    };
    if (abort === 'before')
        caller.abort(ENOUGH);
    const waits = wait();
    let error;
    const signal = abort === undefined || stops ? undefined : caller.signal;
    const got = await client.send(url, request, signal).catch((thrown) => {
        error = thrown;
        return undefined;
    });
    isOver = true;
    await waits;
    for (let turn = 0; turn < SOME_TURNS && inUse() > before; turn += 1)
        await (0, adapter_ts_1.nextTurn)();
    await client.close?.();
    const end = events.at(-1);
    return {
        delays: events.flatMap((event) => (event.type === 'retry' ? [event.delayMs] : [])),
        waits: events.flatMap((event) => (event.type === 'throttle' ? [event.waitMs] : [])),
        reason: end?.type === 'end' ? end.reason : undefined,
        got: shortened(got),
        thrown: got === undefined ? thrownBy(error) : undefined,
        error,
        attempts: events.filter(({ type }) => type === 'attempt').length,
        history: (got === undefined ? historyOf(error) : undefined) ?? client.history?.(),
        pending: clock.pending,
        held: inUse() - before,
    };
}
//# sourceMappingURL=play.js.map