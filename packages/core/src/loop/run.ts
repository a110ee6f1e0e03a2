import { hasEndedBelow, noteEnd, sentNow } from '#around';
import type { Outcome } from '../http/outcome.ts';
import { OutOfTime, timeoutError } from './bounds.ts';
import type { Aside, Exchange } from './exchange.ts';
import { attemptsOf, remember, rememberReason } from './history.ts';
import type { Readiness } from './prepare.ts';
import type { Session, Step } from './session.ts';

/** What an attempt settled with. */
interface Settled {
  readonly value: unknown;
  readonly failed: boolean;
  readonly aside?: Aside | undefined;
}

/** A session that promises drive. */
interface Drive<T> {
  readonly session: Session;
  readonly exchange: Exchange<T>;
  readonly signal: AbortSignal | undefined;
  /** What the last attempt resolved or rejected with. */
  value: unknown;
  failed: boolean;
  aside: Aside | undefined;
  /** The last response that a retry followed: it is the result if the total timeout ends an attempt. */
  answer: Settled | undefined;
  /** True if the error has the history of the request that a function has made. */
  keepsTrace: boolean;
  /** When the attempt was sent. See `hasEndedBelow`. */
  since: number;
}

/**
 * Sends a request until its policy stops, and settles as the client did at the last attempt.
 *
 * @throws what the last attempt of the client threw, unchanged
 * @throws the signal's reason, ThrottledError or HookError, as {@link Session.next} does
 */
export function run<T>(session: Session, exchange: Exchange<T>, signal?: AbortSignal): Promise<T> {
  const drive = driveOf(session, exchange, signal);
  const step = begin(drive);
  if (step !== 'send') return goOnFrom(drive, step);
  // Most requests need one attempt and no wait. They get by with one promise.
  return send(drive).then(
    (value) => settled(drive, value, false),
    (error: unknown) => settled(drive, error, true),
  );
}

/**
 * Goes on with a request whose first attempt was sent, and has settled, before its session began.
 *
 * @param since what `sentNow` returned when it was sent
 */
export function goOn<T>(
  session: Session,
  exchange: Exchange<T>,
  value: unknown,
  failed: boolean,
  since: number,
): T | Promise<T> {
  session.attempt = 1;
  return settled({ ...driveOf(session, exchange, undefined), since }, value, failed);
}

function driveOf<T>(session: Session, exchange: Exchange<T>, signal: AbortSignal | undefined): Drive<T> {
  return {
    session,
    exchange,
    signal,
    value: undefined,
    failed: false,
    aside: undefined,
    answer: undefined,
    keepsTrace: false,
    since: 0,
  };
}

function send<T>(drive: Drive<T>): Promise<T> {
  drive.since = sentNow();
  try {
    // A base fetch may return something else than a promise, if it is a mock.
    return Promise.resolve(drive.exchange.send(drive.session));
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Goes on after the first attempt. */
function settled<T>(drive: Drive<T>, value: unknown, failed: boolean): T | Promise<T> {
  let step: Step;
  try {
    step = judge(drive, value, failed);
    if (step === 'finish') return end(drive);
  } catch (error) {
    throw noted(drive, error);
  }
  return goOnFrom(drive, step);
}

async function goOnFrom<T>(drive: Drive<T>, from: Step): Promise<T> {
  const { session, exchange } = drive;
  try {
    for (let step = from; step !== 'finish'; ) {
      // Here and not in functions of their own, each of which would make a promise.
      if (step === 'send') {
        let value: unknown;
        let failed = false;
        try {
          value = await send(drive);
        } catch (error) {
          value = error;
          failed = true;
        }
        step = judge(drive, value, failed);
      } else if (step === 'wait') {
        const readiness = await (session.waiting as Promise<Readiness>);
        // The attempt ran into its timeout before it was sent.
        if (readiness instanceof OutOfTime)
          step = judge(drive, lateError(exchange, readiness), true, 'timeout');
        else step = session.next('woken', readiness);
      } else if (step === 'look') step = await look(drive);
      else step = setAside(drive);
    }
    return end(drive);
  } catch (error) {
    throw noted(drive, error);
  }
}

function begin<T>({ session, exchange, signal, aside }: Drive<T>): Step {
  return session.next('begin', signal, aside?.released, exchange.makeBody);
}

function judge<T>(drive: Drive<T>, value: unknown, failed: boolean, kind?: 'timeout'): Step {
  const { session, exchange, signal } = drive;
  drive.value = value;
  drive.failed = failed;
  let outcome: Outcome | undefined;
  if (!failed) {
    try {
      outcome = exchange.outcome(value as T);
    } catch (error) {
      // The getters of some mocks throw.
      drive.value = error;
      drive.failed = true;
    }
  }
  if (outcome === undefined) {
    const known = kind ?? (signal?.aborted ? 'aborted' : undefined);
    outcome = known ? { type: 'failure', kind: known, error: drive.value } : exchange.failure(drive.value);
  }
  const isRepeated = drive.failed && session.failedBelow;
  if (isRepeated || hasEndedBelow(drive.value, drive.since)) {
    if (isRepeated && attemptsOf(drive.value).length > 0) drive.keepsTrace = true;
    session.pass(outcome);
    return 'finish';
  }
  return next(drive, 'settled', outcome);
}

function next<T>(drive: Drive<T>, event: 'settled' | 'looked', outcome: Outcome): Step {
  const { session, answer } = drive;
  try {
    return session.next(event, outcome, answer !== undefined && answer.aside?.isLost !== true);
  } catch (hookError) {
    throw dropped(drive, hookError);
  }
}

/** Aborted at once: the caller gets the error now, and nothing of the request may go on after that. */
function dropped<T>({ session, exchange, value }: Drive<T>, hookError: unknown): unknown {
  exchange.setAside(value, session, AbortSignal.abort());
  return hookError;
}

async function look<T>(drive: Drive<T>): Promise<Step> {
  const { session, exchange, signal, value } = drive;
  let outcome: Outcome;
  try {
    outcome = await session.look((maxBytes) => exchange.peek?.(value, maxBytes), signal);
  } catch (error) {
    const isAbort = signal?.aborted === true && error === signal.reason;
    if (!isAbort && !(error instanceof OutOfTime)) {
      session.fail(session.toLookAt as Outcome, error);
      throw dropped(drive, error);
    }
    // The response came, and what it means was not known in time: no one gets it.
    dropped(drive, error);
    drive.value = isAbort ? error : lateError(exchange, error as OutOfTime);
    drive.failed = true;
    outcome = { type: 'failure', kind: isAbort ? 'aborted' : 'timeout', error: drive.value };
  }
  return next(drive, 'looked', outcome);
}

function setAside<T>(drive: Drive<T>): Step {
  const { session, exchange, signal, value, failed } = drive;
  const aside = exchange.setAside(value, session, signal);
  drive.aside = aside;
  if (session.hasAnswered) drive.answer = { value, failed, aside };
  return begin(drive);
}

/** Ends with the last attempt, whose slot is released once its body has ended, or with the answer before it. */
function end<T>(drive: Drive<T>): T {
  const { session, exchange, answer } = drive;
  let { value, failed }: Settled = drive;
  const before = session.isUnsent ? drive : session.fallsBack ? answer : undefined;
  if (before !== undefined) {
    failed = before.failed;
    value = before.aside?.restore?.() ?? before.value;
  } else if (session.holdsSlot) {
    // Hazard: it must not hold the drive, which would keep the response from being collected.
    const ended = (): void => session.bodyEnded();
    if (exchange.whenBodyEnds !== undefined) value = exchange.whenBodyEnds(value, ended);
    else ended();
  }
  if (!session.isInner && !session.isGood) noteEnd(value);
  if (failed) throw value;
  remember(value, session.trace);
  return value as T;
}

/** An error that the request ends with, with its history. */
function noted<T>({ session, exchange, signal, keepsTrace }: Drive<T>, thrown: unknown): unknown {
  const error = thrown instanceof OutOfTime ? lateError(exchange, thrown) : thrown;
  if (session.attempt === 0) exchange.unsent?.(error);
  if (keepsTrace) return error;
  const note = signal?.aborted && error === signal.reason ? rememberReason : remember;
  note(error, session.trace);
  return error;
}

function lateError<T>(exchange: Exchange<T>, { timeoutMs }: OutOfTime): unknown {
  return exchange.timeoutError?.(timeoutMs) ?? timeoutError(timeoutMs);
}
