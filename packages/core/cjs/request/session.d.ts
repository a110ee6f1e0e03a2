import type { Peek } from '../http/inspect.ts';
import type { Outcome, RequestTraits, Responded } from '../http/outcome.ts';
import type { Grant } from '../limits/contracts.ts';
import type { HeaderChanges } from '../policy/before-attempt.ts';
import { type Decision, type Progress } from '../policy/decide.ts';
import { type News } from '../policy/events.ts';
import type { Around, Call, Lack, PlannedRetry, Turn } from '../policy/part.ts';
import { type Policy } from '../policy/policy.ts';
import type { StopReason } from '../policy/reason.ts';
import type { Hop } from './header-changes.ts';
import { type Attempt, type Trace } from './history.ts';
import { type Surroundings, type Way } from './layer.ts';
import { OutOfTime } from './out-of-time.ts';
import { type MakeBody } from './preparation.ts';
import { Total } from './total.ts';
/**
 * What follows {@link Session.ready}: the attempt is to be sent; or not, and the result of the one before is that of the
 * request; or it is to be judged as one that ran into `attemptTimeoutMs`, though it has not been sent.
 */
export type Readiness = boolean | OutOfTime;
/**
 * What a driver does next: wait for {@link Session.waiting}; send an attempt; look into its response; set it aside, because a retry
 * follows; or finish.
 */
export type Step = 'wait' | 'send' | 'look' | 'set aside' | 'finish';
/**
 * One request on its way through a policy, as a machine without a socket: a driver tells it what has happened, and it returns what is
 * to be done next. An attempt goes through
 *
 * ```text
 * begin → [wait → woken →] send → settled → [look → looked →] set aside → begin …
 *                                                            finish
 * ```
 *
 * After the end a driver calls {@link bodyEnded} if {@link holdsSlot}.
 */
export declare class Session implements Progress, Call {
    #private;
    readonly policy: Policy;
    readonly request: RequestTraits;
    /** Set by a client that sees each hop of a redirect as a request, for all hops but the first. */
    hop?: Hop;
    /** The attempt in flight, from 1; 0 before the first. */
    attempt: number;
    /** The delay that the backoff rule returned for the retry before, in milliseconds; `undefined` at the first. */
    previousBackoffMs: number | undefined;
    /** The parts of the policy in this call. */
    turns: readonly Turn[];
    bucket: object | undefined;
    grant: Grant | undefined;
    limit: object | undefined;
    waitedMs: number;
    slotMs: number;
    placeMs: number;
    isBoundByTotal: boolean;
    readonly total: Total | undefined;
    /** True if parts look into responses. */
    reads: boolean;
    /** What the step `wait` waits for. */
    waiting: Promise<Readiness> | undefined;
    /** True if the retry was not sent: the result is that of the attempt before. */
    isUnsent: boolean;
    /** The response that the parts are to look into. */
    toLookAt?: Responded;
    /**
     * @param around the layers around the request; by default none
     * @param way what its attempts are sent with
     */
    constructor(policy: Policy, request: RequestTraits, around?: Surroundings, way?: Way);
    get around(): Around;
    /** When the call began, in milliseconds since the epoch; `undefined` if the policy has no total timeout. */
    get startedAtMs(): number | undefined;
    /** The attempts that were judged. The array grows while the session goes on. */
    get history(): readonly Attempt[];
    /** What to note on the result. */
    get trace(): Trace;
    /** The tokens that the attempt took; `undefined` if there is no bucket. */
    get cost(): number | undefined;
    /** The key of ebb that every attempt carries; `undefined` before the first, and if there is none. */
    get idempotencyKey(): string | undefined;
    /** True if every attempt carries the same idempotency key of ebb. */
    get isKeyed(): boolean;
    /** True if an attempt did not carry the idempotency key of the request, or carried another one. */
    get isKeyLost(): boolean;
    /** The headers that the attempt changes; `undefined` for none. Known once the attempt is {@link ready}. */
    get headerChanges(): HeaderChanges | undefined;
    /**
     * How long the attempt may take until its response, in milliseconds: what is left of `attemptTimeoutMs` and of the total
     * timeout. `undefined` for no limit. To be called once for each attempt, when it is sent.
     */
    timeoutMs(): number | undefined;
    /** The timeout that an attempt runs into if it takes {@link timeoutMs}, for messages. */
    get namedTimeoutMs(): number;
    /**
     * The next step after an event. `begin`: an attempt is to be prepared, see {@link ready}. `woken`: {@link waiting} has resolved with
     * true or false. `settled`: the attempt has ended. `looked`: so it has, and the parts have looked into its response.
     *
     * @throws HookError if a hook throws; the request has then ended
     */
    next(event: 'begin', ...prepare: Parameters<Session['ready']>): Step;
    next(event: 'woken', isReady: boolean): Step;
    next(event: 'settled' | 'looked', outcome: Outcome, hasAnswer?: boolean): Step;
    /**
     * The outcome of the attempt with what the parts that read responses say of it.
     *
     * @param open opens the body; called only if a part asks for it
     * @throws HookError if a part fails: the driver then calls {@link fail}
     */
    look(open: (maxBytes: number) => Peek | undefined, signal?: AbortSignal, outcome?: Outcome | undefined): Promise<Outcome>;
    /** True if another layer around this one retries, and this one sends once. */
    get isInner(): boolean;
    /**
     * To be passed on under `LAYER` in the options of the underlying client, if they reach the layers below; `undefined` if
     * there is no other layer.
     */
    get layer(): object | undefined;
    /**
     * Prepares the next attempt, and waits until it may be sent: for the delay, then for `released` (the connection of the
     * attempt before), for the hooks that change its headers, for a slot and tokens, and for its body. While the hooks run
     * nothing is held; the body is made with the slot. After that the attempt must be sent in the same turn. Returns
     * `undefined` synchronously if there is nothing to wait for. The slot of the attempt before is released when `released`
     * settles.
     *
     * Resolves with `false` if the retry must not be sent, because its tokens or its slot cannot be had, the total timeout
     * has passed, or the policy has stopped. The result of the attempt before is then the result of the request, and its end has been reported.
     *
     * If the signal has aborted before the first attempt, the attempt is sent without tokens and slot, so that the client
     * fails in its own way.
     *
     * @param made the caller's signal, or what makes one, which is called only if there is something to wait for
     * @param makeBody makes the body of the attempt, if the user's code does that
     * @throws the signal's own reason when it aborts
     * @throws ThrottledError if the first attempt cannot get its slot or its tokens in time, or the policy has stopped
     * @throws OutOfTime if the total timeout passes before the first attempt
     * @throws HookError if a hook or `makeBody` fails
     */
    ready(made?: AbortSignal | (() => AbortSignal), released?: Promise<void>, makeBody?: MakeBody): Promise<Readiness> | undefined;
    take(): Lack | undefined;
    /** The first attempt was sent before the session was made. */
    begun(): void;
    /**
     * Calls what sends the attempt, so that the layers of ebb below know that they are not the first. Nothing else belongs
     * in here: what a hook or a body factory sends is a call of its own.
     */
    sending<T>(send: () => T): T;
    /**
     * Takes the outcome of the attempt, and returns whether and when to retry. After a decision not to retry the session is
     * over.
     *
     * @param hasAnswer true if the last response that a retry followed can still be the result: it is if the total timeout
     *   ends this attempt, and then {@link fallsBack} is true
     * @throws HookError if a hook throws; the session is then over as well
     */
    judge(outcome: Outcome, hasAnswer?: boolean): Decision;
    /** True if a total timeout may want the response of the attempt that the planned retry follows. */
    get hasAnswered(): boolean;
    /** True if the result of the request is the last response that a retry followed. */
    get fallsBack(): boolean;
    /** Ends the session after a hook has failed that was to judge an outcome. */
    fail(outcome: Outcome, error: unknown): void;
    /** Asks the parts whether a retry may be sent. */
    permit(retry: PlannedRetry): StopReason | undefined;
    /**
     * Takes an outcome that a layer below has judged: there is no retry. The tokens stay spent, even after a refused
     * connection, because that layer may have sent before.
     */
    pass(outcome: Outcome): void;
    /** True if a retry that is planned may still not be sent, for another reason than an abort. */
    get keepsAnswer(): boolean;
    /** The longest time for reading a response that is followed by a retry, in milliseconds. */
    get discardMs(): number;
    /** User code begins (1) or ends (-1) that runs with what the attempt has taken. */
    occupy(by: 1 | -1): void;
    /** True if the function has failed after a request that it made, which was repeated and has failed. */
    get failedBelow(): boolean;
    /** True if a slot is held that {@link bodyEnded} releases. */
    get holdsSlot(): boolean;
    /**
     * Releases the slot of the policy's `concurrency` limit. An adapter calls this after {@link judge} has returned that
     * there is no retry, when the body of the response has ended, failed, or been cancelled; at once if there is no body. Not
     * needed after a failure, nor for a response that is followed by a retry. Does nothing if no slot is held.
     */
    bodyEnded(): void;
    /** What watches the bodies of responses, if a part needs to know their end. */
    get whenBodyEnds(): Turn['whenBodyEnds'];
    /** Tells all who want to know. */
    emit(news: News): void;
}
//# sourceMappingURL=session.d.ts.map