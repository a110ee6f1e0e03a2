import { type Quota } from './gcra.ts';
/**
 * The tokens of one limit: the arithmetic of gcra.ts on a time of its own ("own time"), in which one token comes in each
 * second. Whole tokens then add up exactly at any rate. Own time stands still in a pause, and its speed is the rate, so
 * neither a pause nor a new rate changes the state, and the states of earlier grants stay comparable.
 *
 * An example with 500 tokens per second and capacity 100, in milliseconds. Own time runs 500 times as fast as real time,
 * and a token is worth 1,000 of own time.
 *
 * | real | event            | own time | empty at | tokens: (own − empty) / 1,000 |
 * |-----:|------------------|---------:|---------:|------------------------------:|
 * |    0 | made full        |        0 | −100,000 |                           100 |
 * |    0 | 80 taken         |        0 |  −20,000 |                            20 |
 * |   10 | 5 came in        |    5,000 |  −20,000 |                            25 |
 * |   10 | pause until 60   |    5,000 |    5,000 |                             0 |
 * |   60 | the pause ends   |    5,000 |    5,000 |                             0 |
 * |   70 | 5 came in        |   10,000 |    5,000 |                             5 |
 * |   70 | rate set to 100  |   10,000 |    5,000 |                             5 |
 * |  120 | 5 came in        |   15,000 |    5,000 |                            10 |
 */
export declare class QuotaState {
    #private;
    constructor({ refillPerSecond, capacity }: Quota, intervalMs: number, tokens: number, nowMs: number);
    get capacity(): number;
    get refillPerSecond(): number;
    pausedMs(nowMs: number): number;
    tokens(nowMs: number): number;
    /** Takes the tokens, if they are available. */
    take(cost: number, nowMs: number): boolean;
    /** Takes the tokens even if they are not available, and leaves a debt. */
    spend(cost: number, nowMs: number): void;
    /** How long until so many tokens have come in, in milliseconds; 0 if they can be taken now. */
    waitMs(cost: number, nowMs: number): number;
    /** What {@link giveBack} needs for the tokens that were taken last. */
    get held(): number;
    giveBack(tokens: number, held: number, nowMs: number): void;
    /** Stops own time until `untilMs`, and empties the limit. Never shortens a pause. */
    pause(untilMs: number, nowMs: number): void;
    /** Ends a pause now, if there is one. */
    resume(nowMs: number): void;
    /** Sets rate and capacity. Available tokens are kept up to the capacity. */
    setRate({ refillPerSecond, capacity }: Quota, nowMs: number): void;
}
//# sourceMappingURL=quota-state.d.ts.map