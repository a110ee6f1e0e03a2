import type { Clock } from '../base/clock.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { Part } from '../policy/part.ts';
import { type ClockBound } from './bind-clock.ts';
import type { PerKey } from './contracts.ts';
import type { PerKeySetup } from './per-key-options.ts';
/**
 * One `T` per key. Idle entries are evicted without timers: each lookup inspects the next two entries in a round, so its
 * cost does not depend on how many there are. A key never has two values, however long a caller holds one: see
 * {@link Evicted}.
 */
export declare class KeyMap<T extends object> implements PerKey<T>, ClockBound {
    #private;
    constructor(make: (key: string) => T, isIdle: (value: T) => boolean, setup: PerKeySetup);
    get part(): Part;
    takeClock(clock: Clock): void;
    /**
     * A new value of a key, on the clock of the policy.
     *
     * @throws HookError if `make` throws
     */
    made(key: string): T;
    get size(): number;
    /** All values that a caller may hold: those of the map, and evicted ones that are still in memory. */
    values(): Generator<T>;
    /**
     * @throws ThrottledError if there is no room for another key
     * @throws HookError if `keyOf` or `make` throws, or `keyOf` returns no string
     */
    for(request: RequestTraits, key?: string): T;
    /**
     * The value of a key, made if there is none yet; `undefined` if there is no room for another.
     *
     * @throws HookError if `make` throws
     */
    find(key: string): T | undefined;
    /** @throws HookError if `keyOf` throws, or returns no string */
    keyFor(request: RequestTraits): string;
}
//# sourceMappingURL=per-key.d.ts.map