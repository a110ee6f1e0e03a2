"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.KeyMap = void 0;
const check_ts_1 = require("../base/check.js");
const errors_ts_1 = require("../base/errors.js");
const own_clock_ts_1 = require("../base/own-clock.js");
const per_key_ts_1 = require("../parts/per-key.js");
const bind_clock_ts_1 = require("./bind-clock.js");
const evicted_ts_1 = require("./evicted.js");
/**
 * One `T` per key. Idle entries are evicted without timers: each lookup inspects the next two entries in a round, so its
 * cost does not depend on how many there are. A key never has two values, however long a caller holds one: see
 * {@link Evicted}.
 */
class KeyMap {
    #entries = new Map();
    #evicted = new evicted_ts_1.Evicted((key, value) => this.#add(key, value, this.#clock.now()));
    #make;
    #isIdle;
    #setup;
    #clock;
    /** The clock of the policy; `undefined` without a policy. */
    #boundTo;
    #round;
    /** The full map is not searched for idle entries again before this time. */
    #nextSearchMs = Number.NEGATIVE_INFINITY;
    constructor(make, isIdle, setup) {
        this.#make = make;
        this.#isIdle = isIdle;
        this.#setup = setup;
        this.#clock = (0, own_clock_ts_1.ownClock)(setup.clock);
        this.#round = this.#entries.entries();
    }
    get part() {
        return new per_key_ts_1.PerKeyPart((call) => this.for(call.request, call.policy.key));
    }
    takeClock(clock) {
        for (const value of this.values())
            (0, bind_clock_ts_1.bindClock)(value, clock);
        const isUnbound = this.#setup.clock === own_clock_ts_1.unboundClock;
        if (this.#boundTo !== undefined && isUnbound && !(0, own_clock_ts_1.isSameClock)(this.#boundTo, clock))
            (0, bind_clock_ts_1.twoClocks)();
        this.#boundTo = clock;
        if (isUnbound)
            this.#clock = clock;
    }
    /**
     * A new value of a key, on the clock of the policy.
     *
     * @throws HookError if `make` throws
     */
    made(key) {
        const value = (0, errors_ts_1.callHook)('make', () => this.#make(key));
        if (this.#boundTo !== undefined)
            (0, bind_clock_ts_1.bindClock)(value, this.#boundTo);
        return value;
    }
    get size() {
        return this.#entries.size;
    }
    /** All values that a caller may hold: those of the map, and evicted ones that are still in memory. */
    *values() {
        for (const { value } of this.#entries.values())
            yield value;
        yield* this.#evicted.values();
    }
    /**
     * @throws ThrottledError if there is no room for another key
     * @throws HookError if `keyOf` or `make` throws, or `keyOf` returns no string
     */
    for(request, key = this.keyFor(request)) {
        const value = this.find(key);
        if (value !== undefined)
            return value;
        const message = `Not sent: ${this.#setup.maxKeys} keys are in use, which is the limit`;
        throw new errors_ts_1.ThrottledError(message, undefined, { reason: 'too-many-keys' });
    }
    /**
     * The value of a key, made if there is none yet; `undefined` if there is no room for another.
     *
     * @throws HookError if `make` throws
     */
    find(key) {
        const nowMs = this.#clock.now();
        this.#evictSome(nowMs);
        const entry = this.#entries.get(key);
        if (entry !== undefined) {
            entry.usedAtMs = nowMs;
            return entry.value;
        }
        if (this.#entries.size >= this.#setup.maxKeys && !this.#makeRoom(nowMs))
            return undefined;
        const value = this.#evicted.recall(key) ?? this.made(key);
        this.#add(key, value, nowMs);
        return value;
    }
    /** @throws HookError if `keyOf` throws, or returns no string */
    keyFor(request) {
        const { keyOf } = this.#setup;
        return (0, errors_ts_1.callHook)('keyOf', () => {
            const key = keyOf(request);
            if (typeof key !== 'string')
                throw (0, check_ts_1.wrongType)('its result', 'a string', key);
            return key;
        });
    }
    #add(key, value, nowMs) {
        this.#entries.set(key, { value, usedAtMs: nowMs });
    }
    #evict(key, value) {
        this.#entries.delete(key);
        this.#evicted.add(key, value);
    }
    /** Inspects two entries per lookup, so that the round makes progress even if every lookup adds one. */
    #evictSome(nowMs) {
        for (let looks = 0; looks < 2; looks += 1) {
            let { value: next } = this.#round.next();
            if (next === undefined) {
                this.#round = this.#entries.entries();
                ({ value: next } = this.#round.next());
                if (next === undefined)
                    return;
            }
            const [key, { value, usedAtMs }] = next;
            if (nowMs - usedAtMs >= this.#setup.idleMs && this.#isIdle(value))
                this.#evict(key, value);
        }
    }
    #makeRoom(nowMs) {
        if (nowMs < this.#nextSearchMs)
            return false;
        for (const [key, { value }] of this.#entries)
            if (this.#isIdle(value))
                this.#evict(key, value);
        if (this.#entries.size < this.#setup.maxKeys)
            return true;
        this.#nextSearchMs = nowMs + 1_000;
        return false;
    }
}
exports.KeyMap = KeyMap;
//# sourceMappingURL=per-key.js.map