"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.systemRandom = exports.systemClock = exports.OF_SYSTEM = void 0;
exports.inNextTurn = inNextTurn;
exports.inRealTime = inRealTime;
exports.nextTurn = nextTurn;
exports.keepAlive = keepAlive;
exports.timersId = timersId;
/** Timers take a signed 32-bit number of milliseconds. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A timer takes a millisecond or more. A shorter delay than this one has passed in the next turn of the event loop. */
const SHORTEST_TIMER_MS = 0.002;
/**
 * Timers of a runtime fire up to a millisecond early. One that is earlier is not theirs but a stub of a test, which does not
 * move `performance.now`: time has passed because the stub says so. A browser that blurs `performance.now` looks the same; there
 * it is true as well.
 */
const MOST_EARLY_MS = 2;
/** A stub may let a timer fire at once that guards a response. It gets so many milliseconds of real time first. */
const GUARD_MS = 250;
/** `performance.now` when the origin was read. Fake timers replace both. */
let readNow;
let originMs = 0;
/** The time that a stub says has come, in milliseconds of `performance.now`, and the `setTimeout` that it stands behind. */
let believedMs = Number.NEGATIVE_INFINITY;
let believed;
/** The later of `nowMs` and what a stub says, if it is still there. */
function atLeast(nowMs) {
    if (believed !== setTimeout)
        believedMs = Number.NEGATIVE_INFINITY;
    return Math.max(nowMs, believedMs);
}
function passedMs() {
    const nowMs = performance.now();
    return nowMs < believedMs ? atLeast(nowMs) : nowMs;
}
/** Counts the waits that have begun. */
let waits = 0;
/** Marks the clock of the system, which each copy of this package in a program has of its own. */
exports.OF_SYSTEM = Symbol.for('@ebb/core system clock');
/**
 * The clock of the system. It is monotonic (`performance.now`): setting the wall clock does not change a wait.
 *
 * A stub of `setTimeout` that calls back early ends the wait, and moves the clock by it. A timeout waits for its response in
 * real time then, as it would with a virtual clock. Nothing is called back before `schedule` has returned.
 */
exports.systemClock = {
    [exports.OF_SYSTEM]: true,
    now() {
        const time = performance;
        if (time.now !== readNow) {
            // Read once for each: reading it makes `now` half as slow again.
            readNow = time.now;
            originMs = time.timeOrigin;
        }
        const nowMs = time.now();
        return originMs + (nowMs < believedMs ? atLeast(nowMs) : nowMs);
    },
    schedule(wake, delayMs, inBackground, isWait) {
        const dueMs = passedMs() + delayMs;
        let cancel = () => undefined;
        let isOff = false;
        if (isWait)
            waits += 1;
        const arm = (leftMs, mayBeImmediate = false) => {
            const set = setTimeout;
            const clear = clearTimeout;
            const untilMs = passedMs() + Math.min(leftMs, LONGEST_TIMER_MS);
            let isSetting = true;
            const reach = () => {
                if (isOff)
                    return;
                if (untilMs < dueMs)
                    arm(dueMs - untilMs);
                else
                    wake();
            };
            const believe = () => {
                if (set === setTimeout && untilMs > passedMs()) {
                    believed = set;
                    believedMs = untilMs;
                }
                reach();
            };
            const guard = () => {
                const before = waits;
                // While the call goes from one wait to the next, a timeout of the whole call has not passed.
                const end = () => (waits !== before && passedMs() < untilMs ? guard() : believe());
                cancel = inRealTime(end, Math.min(GUARD_MS, untilMs - passedMs()), inBackground);
            };
            const fired = () => {
                const earlyMs = untilMs - passedMs();
                if (!isSetting && earlyMs <= MOST_EARLY_MS) {
                    if (earlyMs > 0)
                        arm(dueMs - passedMs());
                    else
                        reach();
                }
                else if (!isWait)
                    guard();
                else if (isSetting)
                    inNextTurn(believe);
                else
                    believe();
            };
            let timer;
            if (!mayBeImmediate || typeof setImmediate !== 'function') {
                cancel = () => clear(timer);
                timer = set(fired, Math.ceil(Math.min(Math.max(leftMs, 0), LONGEST_TIMER_MS)));
                if (inBackground)
                    letExit(timer);
            }
            else {
                const clearOne = clearImmediate;
                cancel = () => clearOne(timer);
                timer = setImmediate(fired);
            }
            isSetting = false;
        };
        arm(delayMs, delayMs <= SHORTEST_TIMER_MS && !inBackground);
        return () => {
            isOff = true;
            cancel();
        };
    },
};
/** Lets the process end while this timer is pending, in runtimes that have processes. */
function letExit(timer) {
    // A stub may return anything.
    if (typeof timer === 'object')
        timer?.unref?.();
    else if (typeof Deno === 'object' && typeof timer === 'number')
        Deno.unrefTimer?.(timer);
}
/** Those of Node's module, as most fakes replace the globals only; else the globals. */
function timersNow() {
    const node = globalThis.process?.getBuiltinModule?.('node:timers');
    const { setTimeout, clearTimeout, setImmediate } = node ?? globalThis;
    return { setTimeout, clearTimeout, setImmediate };
}
/** What they were when this module was loaded: those of the runtime, or fakes. */
const atImport = timersNow();
/** Node marks its own timers so. Other runtimes have native functions. A bound function looks native, and is a mock. */
function isOfRuntime(call) {
    if (Symbol.for('nodejs.util.promisify.custom') in call)
        return true;
    return /\[native code\]/.test(Function.prototype.toString.call(call)) && !call.name.startsWith('bound ');
}
/**
 * A timer function of the runtime. Fakes fire only when the test says so, but a turn of the event loop is no time: sockets and
 * promises need it also while time stands still. Looked up at each call: this module may have been loaded under fakes that are
 * gone by now.
 */
function real(name) {
    let now = timersNow()[name];
    // Fake timers of sinon, vitest and Jest keep what they replace.
    for (let kept = now; kept !== undefined; kept = kept.clock?.[`_${name}`])
        now = kept;
    const first = atImport[name];
    const isFirst = now !== undefined && first !== undefined && !isOfRuntime(now) && isOfRuntime(first);
    return (isFirst ? first : now);
}
/** Calls `call` in another turn of the event loop, also beside fake timers. */
function inNextTurn(call) {
    const setImmediate = real('setImmediate');
    if (setImmediate)
        setImmediate(call);
    else
        real('setTimeout')(call, 0);
}
/**
 * Calls `call` after this many milliseconds of real time, also beside fake timers. Returns a function that cancels it.
 *
 * @param inBackground lets the process end meanwhile
 */
function inRealTime(call, delayMs, inBackground) {
    const timer = real('setTimeout')(call, Math.min(delayMs, LONGEST_TIMER_MS));
    if (inBackground)
        letExit(timer);
    return () => real('clearTimeout')(timer);
}
/**
 * Resolves in another turn of the event loop. Some clients free a connection only in the turn after its response has ended,
 * and a request that is sent earlier opens another connection.
 */
function nextTurn() {
    return new Promise(inNextTurn);
}
let waiting = 0;
let letEnd = () => undefined;
/** Keeps the process alive until a promise settles, in runtimes that have processes. Returns the same promise. */
function keepAlive(promise) {
    waiting += 1;
    if (waiting === 1)
        letEnd = inRealTime(() => undefined, LONGEST_TIMER_MS);
    const settled = () => {
        waiting -= 1;
        if (waiting === 0)
            letEnd();
    };
    promise.then(settled, settled);
    return promise;
}
/** What changes when fake timers come or go. A timer of those that are gone may never fire. */
function timersId() {
    return setTimeout;
}
/** `Math.random`. */
exports.systemRandom = Math.random;
//# sourceMappingURL=clock.js.map