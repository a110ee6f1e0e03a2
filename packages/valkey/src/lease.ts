import { gcra, type Quota } from '@ebb/core/bucket';
import type { OnStoreError } from './events.ts';
import type { FleetSetup, IdleState } from './options.ts';
import { SURE_US } from './script-state.ts';
import {
  type Amounts,
  argumentsOf,
  type LeaseMark,
  markOf,
  type RawReply,
  type StoreCall,
  type TokenLeaseCall,
  type UnspentLease,
  type Who,
  whoOf,
} from './store-call.ts';
import { ForgetfulStoreError } from './store-error.ts';

// This file is a machine without I/O, which stands for one process of a fleet: `lease(state, event)` returns the next state and the
// commands. Amounts are millionths of a token. Moments of the process's time end in `AtMs`, and moments of the bucket's time in `Us`.
//
// The state is `LeaseState`, an event is a `LeaseEvent`, and the commands are `Commands`. A driver tells each event, and does what each
// step returns; `take` alone changes a state in place. After these types each section has a heading, in this order: answers, the known
// bucket, times, leased tokens, tokens to return and to charge, calls, the size of a lease, the pause of the fleet, the time without the
// store, the share of this process, and the questions of a bucket.

const NEVER = Number.POSITIVE_INFINITY;
const LONG_AGO = Number.NEGATIVE_INFINITY;

/** Whether any unit of an amount is more than that of another. */
const isMore = (one: Amounts, other: Amounts): boolean =>
  one.some((amount, unit) => amount > (other[unit] as number));

const plus = (one: Amounts, other: Amounts): Amounts =>
  one.map((amount, unit) => amount + (other[unit] as number));

// ---------------------------------------------------------------- the state

/** The options of a bucket that its leases depend on. They do not change. */
type LeaseTerms = Pick<
  FleetSetup,
  | 'limits'
  | 'declared'
  | 'localShare'
  | 'maxPauseMs'
  | 'nonConforming'
  | 'onStoreError'
  | 'processes'
  | 'random'
  | 'retryMs'
  | 'shared'
  | 'timeoutMs'
  | 'unitNames'
  | 'wantedAheadMs'
>;

/** Tokens that were leased and not spent yet. They come in at the bucket's rate, the last of them at `availableAtMs`. */
export interface LeasedTokens {
  left: number;
  availableAtMs: number;
  /** When the rest is returned to the store. */
  expiresAtMs: number;
  /** Where the lease has left the bucket. A refund hands it in. */
  readonly mark: LeaseMark;
}

/** A unit: its leases, of which the oldest is spent first, and the size of the next lease. */
export interface Unit {
  leases: LeasedTokens[];
  /** The lease that the last tokens were taken from. */
  mark: LeaseMark | undefined;
  /** When the unit is or was empty in the store, by its last reply; `-Infinity` before the first. */
  emptyAtMs: number;
  /** For how long after that reply all tokens were leased already. */
  leasedAheadMs: number;
  /** If no request waits and less than this is leased, more is leased; below 0 while the store has none to spare. */
  lowWater: number;
  /** The amount to lease for the time of a round trip. */
  window: number;
  /** How long after the last lease its tokens came. */
  comesInMs: number;
  /** The leased amount without returned tokens, and the part that is counted as spent. */
  taken: number;
  counted: number;
  /** How fast tokens are spent: an exponential moving average. */
  spentPerMs: number;
  lastLease: number;
  /** The average lease of a process whose requests wait; `Infinity` if none has waited yet. */
  fleetAverage: number;
}

/** The last state of the bucket that this process saw. Each call hands it in, so that the store cannot lose it. */
export interface KnownState {
  readonly last: RawReply | undefined;
  /** The limit of each unit by the last reply of the store. */
  readonly limits: readonly Quota[];
  /** Added to the bucket's time, so that replies stay in order if another epoch begins earlier. */
  readonly orderUs: number;
  /** When the call of the last reply was sent. */
  readonly sentAtMs: number;
  /** How far the bucket's time is ahead of ours at most; `undefined` before the first reply. */
  readonly aheadMs: number | undefined;
  /** Until when the store has to keep the bucket. */
  readonly keptAtMs: number;
}

/** A call that has no answer yet, or none in time. */
export interface OpenCall {
  /** Counts the calls from 1. */
  readonly id: number;
  readonly call: StoreCall;
  readonly sentAtMs: number;
  /** The outage that the call is to end; 0 if the store was there. */
  readonly outage: number;
  /** Another answer may come late. */
  readonly isGivenUp: boolean;
}

/** This process among those that share the bucket. Shares are millionths of the quota. */
interface Member {
  /** Names this process in the store. */
  readonly name: string;
  /** When to call the store if no request does. */
  lookAtMs: number;
  held: number;
  /** The share that the store recorded last, held or not. */
  recorded: number;
  /** The part of the share that no loss makes doubtful. */
  sure: number;
  /** Until when the share is held. */
  heldAtMs: number;
  /** The next call at or after this time counts this process. */
  dueAtMs: number;
  /** How often it is counted, as the last call has said. */
  everyMs: number;
  /** Since when the share is not what it should be. */
  askingAtMs: number | undefined;
  usedAtMs: number;
  countedAtMs: number;
  /** The call whose reply told the share. */
  answered: number;
  /** By that reply. */
  processes: number;
  /** The most processes since this process was last busy: the store may have forgotten some quiet ones. */
  mostProcesses: number;
  epoch: number;
  /** Whether the store may know this process. */
  isKnown: boolean;
  isQuiet: boolean;
}

/** The tokens of one unit for this process while the store is away: its share of the rate and of the capacity, from empty. */
interface Local {
  emptyAtMs: number;
  /** By how much pauses have put that off. */
  pausedMs: number;
  /** All that was charged. */
  spent: number;
  /** Collected so far for a request that costs more than the share's capacity. */
  collected: number;
  /** Whether this process was delayed at random before it began to collect. */
  isStaggered: boolean;
}

/** A time in which the store is away. */
export interface Outage {
  /** Counts the outages from 1. */
  readonly number: number;
  readonly beganAtMs: number;
  readonly error: unknown;
  mode: OnStoreError;
  /** The part of the quota that this process has meanwhile, from 0 to 1. A reply that comes late may change it. */
  share: number;
  readonly local: Local[];
  /** When the bucket is shared again; `Infinity` before the store replies. */
  sharedAtMs: number;
  /** The store replies but does not keep the bucket. */
  readonly isForgetful: boolean;
  /** The amount of each unit that was paid back. */
  paid: Amounts;
  usedAtMs: number;
  nextRetryAtMs: number;
  lastRetryAtMs: number;
  retries: number;
  /** A silent store is back if it replies within this time. */
  readonly quickMs: number;
  readonly wasSilent: boolean;
  /** Whether the last reply has shown that the store is back. */
  isBack: boolean;
  /** The amount of each unit that was charged, as others may share the bucket already; `undefined` if nothing is charged. */
  charged: Amounts | undefined;
  inTimeAtMs: number;
  repliedAtMs: number;
}

/** A message that the store did not get yet: when the pause ends, or `'end'` if the pause has ended. */
type PauseMessage = { readonly endsAtMs: number } | 'end';

/** A refusal of the store: `amounts` of tokens cannot come before `byAtMs`, and asking again is useless before `endsAtMs`. */
interface Refusal {
  readonly amounts: Amounts;
  readonly byAtMs: number;
  readonly endsAtMs: number;
}

const NOT_REFUSED: Refusal = { amounts: [], byAtMs: 0, endsAtMs: LONG_AGO };

/** The whole state of one process, which may be changed. */
interface Draft {
  readonly terms: LeaseTerms;
  known: KnownState;
  units: Unit[];
  /** The calls under way, and the calls that were given up within the last 10 s without a later reply. */
  open: readonly OpenCall[];
  /** How often the store was called. */
  calls: number;
  calledAtMs: number;
  /** When the latest call that got a reply was sent. */
  answeredAtMs: number;
  /** How long the store takes to reply. */
  roundTripMs: number;
  countedAtMs: number;
  /** The order of the last reply, its line, and when the line last changed. */
  orderUs: number;
  line: string;
  movedAtMs: number;
  /** How many processes share the bucket; 0 before the first reply. */
  processes: number;
  readonly member: Member;
  outage: Outage | undefined;
  outages: number;
  /** When the last outage ended. */
  backAtMs: number;
  /** When the store lost the bucket, and whether it has kept it since. */
  lostAtMs: number;
  wasKept: boolean;
  pausedAtMs: number;
  pauseUnsent: PauseMessage | undefined;
  /** The last call about a pause that is under way. */
  pauseCall: number;
  /** Tokens to return, by lease; to charge; and when to call the store for that. */
  unspent: readonly UnspentLease[];
  owed: Amounts;
  settleAtMs: number;
  refusal: Refusal;
  /** The largest cost of a request that left without tokens since the last step. */
  missed: Amounts | undefined;
  /** Tokens were taken, and few are left. */
  isLow: boolean;
  /** Something depends on how the bucket stands now. */
  mustLook: boolean;
  isClosed: boolean;
  isTold: boolean;
  /** The share for a bucket of one of many keys. */
  fleet: SharedShare | undefined;
  /** The commands of the next step. */
  said: Report;
}

/** The whole state of one process. Each event makes another state; see {@link take}. */
export type LeaseState = Readonly<Draft>;

/** For a bucket of one of many keys: the share of this process, and how many there are. */
interface SharedShare {
  readonly share: number;
  readonly processes: number;
}

// ---------------------------------------------------------------- events and commands

/** The requests that wait, and their costs. */
export interface Backlog {
  readonly count: number;
  /** The cost of the first request; 0 if none waits. */
  readonly firstCost: Amounts;
  /** When the first request gives up; `Infinity` if never. */
  readonly firstDeadlineMs: number;
  /** The cost of all requests. */
  readonly totalCost: Amounts;
  /** The sum of the weights of the waiting keys, if requests have keys. */
  readonly shares?: number | undefined;
  /** The costs of the requests, in their order. */
  readonly costs: Iterable<Amounts>;
}

/** The answer to a call. */
export interface Answer {
  readonly to: OpenCall;
  /** When the call was sent that got this answer: a client may reject calls while it connects. */
  readonly sentAtMs: number;
  /** `undefined` if the call failed, or is given up. */
  readonly reply?: RawReply | undefined;
  readonly error?: unknown;
  /** `'given up'`: another answer may come, which is then `'late'`. */
  readonly state?: 'given up' | 'late' | undefined;
}

/** An event. Only a `step` returns commands. */
export type LeaseEvent =
  /** The turn of the event loop ends, a time has come, or a call has an answer. */
  | {
      readonly type: 'step';
      readonly backlog: Backlog;
      readonly answer?: Answer | undefined;
      readonly fleet?: SharedShare | undefined;
    }
  /** A request found no tokens: some are leased for the next one. */
  | { readonly type: 'missed'; readonly amounts: Amounts }
  /** Something depends on when tokens come, which are known to come in `waitMs`. */
  | { readonly type: 'look'; readonly waitMs: number }
  /** Taken amounts were wrong: by a surplus, or by a debt below 0. `held` are the leases that they are from. */
  | { readonly type: 'settle'; readonly surplus: Amounts; readonly held: readonly (LeaseMark | undefined)[] }
  | { readonly type: 'pause'; readonly endsAtMs: number }
  | { readonly type: 'unpause' }
  /** A request of another key needs the store, and counts this process. */
  | { readonly type: 'used' }
  | { readonly type: 'join' }
  /** Calls for other keys have shown that the store is away. */
  | { readonly type: 'away'; readonly error: unknown; readonly fleet: SharedShare | undefined }
  /** A bucket that had no requests is needed again. */
  | {
      readonly type: 'wake';
      readonly rested: IdleState;
      readonly startMs: number;
      readonly fleet: SharedShare | undefined;
    }
  /** Reads the bucket, and with it the limits that hold. It is sent at once. */
  | { readonly type: 'peek' }
  | { readonly type: 'close' };

/** The store was lost, is back, or has another time. */
export type Turn =
  | { readonly type: 'lost'; readonly error: unknown; readonly mode: OnStoreError; readonly share: number }
  | { readonly type: 'back'; readonly outageMs: number }
  | { readonly type: 'step'; readonly byMs: number };

interface Report {
  /** Calls to send now. The outcome of each is the `answer` of another step. */
  readonly calls: readonly OpenCall[];
  /** Requests that wait may get their tokens now, or be refused. */
  readonly serve: boolean;
  /** To report. */
  readonly turns: readonly Turn[];
  /** Other limits hold. */
  readonly isLimited: boolean;
}

/** The commands, which the driver carries out. */
export interface Commands extends Report {
  /** When to step next, if nothing happens before; `Infinity` for never. */
  readonly wakeAtMs: number;
  /** The same, but not worth keeping a process alive for. */
  readonly lookAtMs: number;
}

const NOTHING: Report = { calls: [], serve: false, turns: [], isLimited: false };
const NO_COMMANDS: Commands = { ...NOTHING, wakeAtMs: NEVER, lookAtMs: NEVER };

/** The state of a process that has not called the store yet. */
export function newLease(terms: LeaseTerms, name: string, nowMs: number): LeaseState {
  const { limits } = terms;
  return {
    terms,
    known: nothingKnown(limits),
    units: limits.map(() => ({
      ...{ leases: [], mark: undefined, emptyAtMs: LONG_AGO, leasedAheadMs: 0 },
      ...{ lowWater: 0, window: 0, comesInMs: 0, taken: 0, counted: 0, spentPerMs: 0 },
      ...{ lastLease: 0, fleetAverage: NEVER },
    })),
    ...{
      open: [],
      calls: 0,
      calledAtMs: LONG_AGO,
      answeredAtMs: LONG_AGO,
      roundTripMs: 0,
      countedAtMs: nowMs,
    },
    ...{ orderUs: LONG_AGO, line: '', movedAtMs: LONG_AGO, processes: 0 },
    member: {
      ...{ name, lookAtMs: NEVER, held: 0, recorded: 0, sure: 0, heldAtMs: LONG_AGO, dueAtMs: LONG_AGO },
      ...{ everyMs: BUSY_MS, askingAtMs: undefined, usedAtMs: LONG_AGO, countedAtMs: LONG_AGO, answered: 0 },
      ...{ processes: 1, mostProcesses: 1, epoch: 0, isKnown: false, isQuiet: false },
    },
    ...{ outage: undefined, outages: 0, backAtMs: LONG_AGO, lostAtMs: LONG_AGO, wasKept: true },
    ...{ pausedAtMs: LONG_AGO, pauseUnsent: undefined, pauseCall: 0 },
    ...{ unspent: [], owed: limits.map(() => 0), settleAtMs: NEVER, refusal: NOT_REFUSED },
    ...{ missed: undefined, isLow: false, mustLook: false, isClosed: false, isTold: false },
    ...{ fleet: undefined, said: NOTHING },
  };
}

/** A copy that may be changed. */
export const draftOf = (state: LeaseState): Draft => ({
  ...state,
  units: state.units.map((unit) => ({ ...unit, leases: unit.leases.map((each) => ({ ...each })) })),
  member: { ...state.member },
  outage: state.outage && { ...state.outage, local: state.outage.local.map((local) => ({ ...local })) },
});

/** Takes in what has happened, and says what to do. */
export function lease(state: LeaseState, event: LeaseEvent, nowMs: number): [LeaseState, Commands] {
  const s = draftOf(state);
  switch (event.type) {
    case 'step':
      return [s, step(s, event.backlog, event.answer, event.fleet, nowMs)];
    case 'peek': {
      const calls = [send(s, { mode: 'peek' }, 0, nowMs)];
      return [s, { ...NO_COMMANDS, calls }];
    }
    case 'missed':
      s.missed = event.amounts.map((amount, unit) => Math.max(amount, state.missed?.[unit] ?? 0));
      break;
    case 'look':
      // Others may have left the queue or ended the pause, and while no request waits here nothing else would find out.
      s.mustLook ||= nowMs >= staleAfterMs(s.calledAtMs, nowMs + event.waitMs, true);
      break;
    case 'settle':
      settle(s, event.surplus, event.held, nowMs);
      break;
    case 'pause':
      beginPause(s, event.endsAtMs, nowMs);
      break;
    case 'unpause':
      endPause(s, nowMs);
      break;
    case 'used':
      memberUsed(s.member, nowMs);
      break;
    case 'join':
      memberUsed(s.member, nowMs);
      s.member.dueAtMs = LONG_AGO;
      if (s.outage !== undefined) s.outage.usedAtMs = nowMs;
      s.mustLook = true;
      break;
    case 'away':
      s.fleet = event.fleet;
      beginOutage(s, event.error, { atMs: nowMs, wasSilent: false }, nowMs);
      break;
    case 'wake':
      s.fleet = event.fleet;
      wake(s, event.rested, event.startMs, nowMs);
      break;
    case 'close':
      s.isClosed = true;
      break;
  }
  return [s, NO_COMMANDS];
}

function step(
  s: Draft,
  backlog: Backlog,
  answer: Answer | undefined,
  fleet: SharedShare | undefined,
  nowMs: number,
): Commands {
  s.fleet = fleet;
  if (answer !== undefined) receive(s, answer, backlog, nowMs);
  if (s.isClosed) giveAllBack(s, nowMs);
  else {
    tidy(s, backlog, nowMs);
    if (s.outage !== undefined) checkOutage(s, s.outage, backlog.count > 0, nowMs);
  }
  ask(s, backlog, nowMs);
  const { said } = s;
  s.said = NOTHING;
  if (s.isClosed) return { ...said, wakeAtMs: NEVER, lookAtMs: NEVER };
  const mayLook = s.terms.shared === undefined && s.outage === undefined && !isAsking(s);
  return { ...said, wakeAtMs: wakeAtMs(s, backlog, nowMs), lookAtMs: mayLook ? s.member.lookAtMs : NEVER };
}

function say(s: Draft, more: Partial<Report>): void {
  s.said = { ...s.said, ...more };
}

const tell = (s: Draft, turn: Turn): void => say(s, { turns: [...s.said.turns, turn] });

// ---------------------------------------------------------------- answers

function receive(
  s: Draft,
  { to, sentAtMs, reply: raw, error, state }: Answer,
  backlog: Backlog,
  nowMs: number,
): void {
  const { id, call } = to;
  if (state === 'given up') s.open = s.open.map((one) => (one.id === id ? { ...one, isGivenUp: true } : one));
  else {
    // Replies come in order: with a reply, earlier calls that were given up will not get any.
    s.open = s.open.filter((one) => one.id !== id && !(raw && one.isGivenUp && one.sentAtMs < to.sentAtMs));
  }
  let reply: Reply | undefined;
  if (raw !== undefined) [s.known, reply] = observe(s.known, raw, sentAtMs, nowMs);
  if (state !== 'given up') memberTold(s, to, reply, nowMs);
  const { outage } = s;
  const attempted = outage !== undefined && outage.number === to.outage ? outage : undefined;
  if (attempted !== undefined) attemptEnded(attempted, to, reply, state, nowMs);
  if (state === 'late') {
    if (reply !== undefined) receiveLate(s, reply, nowMs);
    return;
  }
  if (to.outage > 0) {
    if (attempted !== undefined) receiveAway(s, attempted, to, reply, nowMs);
    return;
  }
  if (reply !== undefined) s.answeredAtMs = Math.max(s.answeredAtMs, to.sentAtMs);
  const lost = reply === undefined ? error : observeBucket(s, reply, nowMs);
  // If a later call got a reply, this failure is over already.
  if (lost !== undefined && to.sentAtMs >= s.answeredAtMs) lose(s, lost, to, state === 'given up', nowMs);
  const kept = lost === undefined ? reply : undefined;
  // After the end a pause that the store could not be asked for is not tried again.
  if (s.isClosed && reply === undefined) s.pauseUnsent = undefined;
  // A failed refund may have arrived, so it is never repeated: those tokens are lost. A charge is repeated.
  const spent = call.mode === 'lease' ? call.spent : call.mode === 'spend' ? call.amounts : undefined;
  if (kept?.tooLate !== false && !s.isClosed) owe(s, spent ?? [], LONG_AGO);
  if (call.mode === 'lease') receiveLease(s, call, kept, to.sentAtMs, backlog, nowMs);
  else if (call.mode === 'pause' || call.mode === 'unpause') pauseTold(s, to, kept);
}

/** @param reply `undefined` if there is none that counts */
function receiveLease(
  s: Draft,
  call: TokenLeaseCall,
  reply: Reply | undefined,
  sentAtMs: number,
  backlog: Backlog,
  nowMs: number,
): void {
  say(s, { serve: true });
  if (reply === undefined) return;
  // The shortest round trip counts, and is forgotten slowly: in a process that is held up many replies look late.
  const later = nowMs - sentAtMs - s.roundTripMs;
  s.roundTripMs += later < 0 || s.roundTripMs === 0 ? later : later / 8;
  s.units.forEach((unit, at) => {
    sizeAnswered(s, unit, at, reply, leftOf(unit) < (backlog.firstCost[at] as number));
  });
  if (reply.granted.some((amount) => amount > 0)) {
    s.refusal = NOT_REFUSED;
    addLease(s, reply, backlog.count > 0, nowMs);
  } else if (!reply.tooLate) {
    for (const unit of s.units) unit.lowWater = -1;
    const [byAtMs, endsAtMs] = [sentAtMs + call.withinMs, nowMs + reply.waitMs];
    s.refusal = { amounts: call.minAmounts, byAtMs, endsAtMs };
  }
  // The tokens came after the bucket was closed, or are from before a pause.
  if (!isOpen(s, nowMs)) giveAllBack(s, nowMs);
}

/** The call had been given up, but its reply tells the share, and what it leased is given back. */
function receiveLate(s: Draft, reply: Reply, nowMs: number): void {
  if (s.outage !== undefined) {
    s.outage.nextRetryAtMs = LONG_AGO;
    learnShare(s, s.outage, true, nowMs);
  }
  // Tokens that were yet to come are lost, as if the process had died: others who wait behind them would move to the same moment.
  reply.granted.forEach((amount, at) => {
    if (amount > 0 && (reply.emptyInMs[at] as number) <= 0) returnTokens(s, at, amount, markOf(reply), nowMs);
  });
  say(s, { serve: true });
}

/** Takes in a reply about the bucket. Returns an error if the reply must be treated as missing; `undefined` if the reply counts. */
function observeBucket(s: Draft, reply: Reply, nowMs: number): Error | undefined {
  const { refusal } = s;
  if (Math.abs(reply.steppedMs) > 1) tell(s, { type: 'step', byMs: reply.steppedMs });
  if (reply.isLimited) say(s, { isLimited: true });
  const isNew = reply.orderUs >= s.orderUs;
  if (isNew) {
    s.orderUs = reply.orderUs;
    s.processes = reply.processes;
    if (reply.line !== s.line) s.movedAtMs = nowMs;
    s.line = reply.line;
    s.units.forEach((unit, at) => {
      const emptyInMs = reply.emptyInMs[at] as number;
      unit.leasedAheadMs = Math.max(0, emptyInMs);
      unit.emptyAtMs = nowMs + emptyInMs;
      if (moveEarlier(unit.leases, unit.emptyAtMs, perMs(s, at))) say(s, { serve: true });
    });
    // Other requests have left the queue, so its tokens come in time after all.
    const comesAtMs = refusal.amounts.map(
      (amount, at) => (s.units[at] as Unit).emptyAtMs + amount / perMs(s, at),
    );
    if (Math.max(...comesAtMs) <= refusal.byAtMs) s.refusal = NOT_REFUSED;
  }
  s.processes = Math.max(1, s.fleet?.processes ?? s.processes);
  if (isNew) observePause(s, reply, nowMs);
  return observeLoss(s, reply.lostBucket, nowMs);
}

/** Two losses within this time, or within the time in which the bucket fills, start an outage. In milliseconds. */
const REPEATED_MS = 2_000;

/** A store that has kept the bucket at least this long, or until it was full, has recovered from a loss. */
const LEAST_KEPT_MS = 100;

/**
 * Returns an error if the store loses the bucket again. After one loss the processes restore what they know. If the store loses it again
 * before the bucket is full, it never learns what all processes have leased together.
 */
function observeLoss(s: Draft, isLost: boolean, nowMs: number): Error | undefined {
  const fillMs = Math.max(LEAST_KEPT_MS, timesOf(s).fillMs);
  const agoMs = nowMs - s.lostAtMs;
  if (!isLost) {
    s.wasKept ||= agoMs >= fillMs;
    return undefined;
  }
  const again = !s.wasKept && agoMs <= Math.max(REPEATED_MS, fillMs);
  s.lostAtMs = nowMs;
  s.wasKept = false;
  return again ? new ForgetfulStoreError(agoMs) : undefined;
}

// ---------------------------------------------------------------- what is known of the bucket

/** A reply, and the conclusions from it and earlier replies. */
export interface Reply extends RawReply {
  /** Grows with each reply; less than before for a reply that was overtaken by another. */
  readonly orderUs: number;
  /** When each unit is empty and tokens come in again, in milliseconds from now; below 0: how long ago that was. */
  readonly emptyInMs: Amounts;
  /** How long the bucket stays paused, in milliseconds; 0 if it is not. */
  readonly pausedMs: number;
  /** Changes when requests may be served sooner, or later, than known: by the tokens given back or lost. */
  readonly line: string;
  /** The store has lost the bucket since its last reply. */
  readonly lostBucket: boolean;
  /** How far the server's clock has been set ahead since the last reply, in milliseconds; below 0: back. */
  readonly steppedMs: number;
  /** Other limits hold than were known. */
  readonly isLimited: boolean;
}

/** @param limits of each unit, until the store says that others hold */
export const nothingKnown = (limits: readonly Quota[]): KnownState => ({
  ...{ last: undefined, limits: [...limits], orderUs: 0 },
  ...{ sentAtMs: LONG_AGO, aheadMs: undefined, keptAtMs: LONG_AGO },
});

/** A second is added because the clocks of a store and its replicas differ. */
const SLACK_US = 1e6;

/** Takes in a reply. A later call may have been answered before. */
export function observe(
  known: KnownState,
  raw: RawReply,
  sentAtMs: number,
  nowMs: number,
): [KnownState, Reply] {
  const before = known.last;
  const isSame = before === undefined || raw.epoch === 0 || raw.epoch === before.epoch;
  const isOld = before !== undefined && (isSame ? raw.atUs < before.atUs : sentAtMs < known.sentAtMs);
  const counts = !isOld && raw.epoch > 0 && !raw.tooLate;
  // Another epoch may be on another time.
  const orderUs = known.orderUs + (counts && !isSame ? Math.max(0, before.atUs - raw.atUs) : 0);
  const limits = counts ? newLimits(known.limits, raw.limits) : undefined;
  const reply: Reply = {
    ...raw,
    orderUs: isOld && !isSame ? LONG_AGO : raw.atUs + orderUs,
    emptyInMs: raw.emptyUs.map((us) => (us - raw.atUs) / 1_000),
    pausedMs: Math.max(0, raw.pausedUs - raw.atUs) / 1_000,
    line: [raw.epoch, ...raw.givenUs].join(' '),
    lostBucket: !isOld && !isSame && nowMs < known.keptAtMs,
    steppedMs: isOld || !isSame || before === undefined ? 0 : (before.shiftUs - raw.shiftUs) / 1_000,
    isLimited: limits !== undefined,
  };
  if (isOld) return [known, reply];
  const now = { ...known, aheadMs: raw.atUs / 1_000 - sentAtMs, sentAtMs };
  if (!counts) return [now, reply];
  const { last = raw, ...next } = { last: raw, orderUs, limits: limits ?? known.limits };
  return [{ ...now, ...next, last, keptAtMs: nowMs + keptMs(last, next.limits) }, reply];
}

/** The limits of a reply if they are others than before. */
function newLimits(
  before: readonly Quota[],
  limits: readonly Quota[] | undefined,
): readonly Quota[] | undefined {
  const isSame = limits?.every(({ refillPerSecond, capacity }, unit) => {
    const own = before[unit] as Quota;
    return own.refillPerSecond === refillPerSecond && Math.abs(own.capacity - capacity) < 1e-6;
  });
  return isSame === false ? limits : undefined;
}

/** For how long the store has to keep the bucket. */
function keptMs({ atUs, emptyUs, pausedUs, resumedUs, endsUs }: RawReply, limits: readonly Quota[]): number {
  const full = limits.map(
    ({ capacity, refillPerSecond }, unit) => (emptyUs[unit] as number) + (capacity / refillPerSecond) * 1e6,
  );
  return (Math.max(...full, pausedUs, resumedUs, endsUs) + SLACK_US - atUs) / 1_000;
}

/** Six numbers of each unit, as the script has them. */
const unitNumbers = (
  { limits }: KnownState,
  last: RawReply,
  capacityOf: (capacity: number) => number,
): number[] =>
  limits.flatMap(({ refillPerSecond, capacity }, unit) => [
    ...[refillPerSecond, capacityOf(capacity), last.emptyUs[unit] as number],
    ...[last.givenUs[unit] as number, last.baseUs[unit] as number, last.averageLease[unit] as number],
  ]);

/** The last state as the script reads it: the version of the limits, the epoch, when the state was written, and the state. */
export function knownArgs(known: KnownState): [version: string, epoch: string, at: string, state: string] {
  const { last } = known;
  if (last === undefined) return ['0', '0', '0', ''];
  const { shiftUs, pausedUs, resumedUs, version, processes, total, endsUs, frame } = last;
  const units = unitNumbers(known, last, (capacity) => Math.ceil(capacity * 1e6));
  const state = [shiftUs, pausedUs, resumedUs, version, processes, total, endsUs, frame, ...units].join(' ');
  return [`${version}`, `${last.epoch}`, `${last.writtenUs}`, state];
}

const us = (ms: number): string => Math.ceil(ms * 1_000).toFixed(0);

/**
 * The arguments of a call that is sent now.
 *
 * @param proposes whether to set the bucket's time back to the time known to this process
 */
export function callArgs(
  { known, terms }: Pick<LeaseState, 'known' | 'terms'>,
  call: StoreCall,
  nowMs: number,
  proposes: boolean,
): string[] {
  const { declared, maxPauseMs, timeoutMs, unitNames } = terms;
  // The bucket's time is not later than this.
  const timeMs = known.aheadMs === undefined ? undefined : nowMs + known.aheadMs;
  // A call that was queued until no one waits for its reply must do nothing, so it carries a deadline.
  const until = timeMs === undefined ? '0' : us(timeMs + 2 * timeoutMs);
  const proposed = timeMs === undefined || !proposes ? '0' : us(timeMs);
  return [
    ...[call.mode, unitNames, until, proposed, ...knownArgs(known)],
    ...[declared, whoOf(call.who), ...argumentsOf(call, maxPauseMs)],
  ];
}

/** The count of numbers in {@link IdleState} before the numbers of the units. */
const HEAD = 10;

/** @param startMs of the bucket's clock. `undefined` before the first reply */
export function restOf({ known }: LeaseState, startMs: number): IdleState | undefined {
  const { last } = known;
  if (last === undefined) return undefined;
  const { atUs, writtenUs, frame, shiftUs, epoch, version, pausedUs, resumedUs } = last;
  return [
    ...[known.keptAtMs + startMs, (known.aheadMs as number) - startMs],
    ...[atUs, writtenUs, frame, shiftUs, epoch, version, pausedUs, resumedUs],
    ...unitNumbers(known, last, (capacity) => capacity),
  ];
}

/** Goes on from the kept state, as if its reply had just come. */
function wake(s: Draft, rested: IdleState, startMs: number, nowMs: number): void {
  const at = (place: number): number => rested[place] as number;
  const column = (place: number): number[] => s.units.map((_, unit) => at(HEAD + 6 * unit + place));
  const capacities = column(1);
  const limits = column(0).map((refillPerSecond, unit) => ({
    refillPerSecond,
    capacity: capacities[unit] as number,
  }));
  const last: RawReply = {
    ...{ tooLate: false, atUs: at(2), writtenUs: at(3), frame: at(4), shiftUs: at(5), epoch: at(6) },
    ...{ version: at(7), pausedUs: at(8), resumedUs: at(9), processes: 1, total: 0, endsUs: 0 },
    ...{ share: undefined, waitMs: 0, granted: limits.map(() => 0), limits },
    ...{ emptyUs: column(2), givenUs: column(3), baseUs: column(4), averageLease: column(5) },
  };
  const sentAtMs = last.atUs / 1_000 - (at(1) + startMs);
  const [known, reply] = observe(s.known, last, sentAtMs, sentAtMs);
  s.known = known;
  // Times from now: more may have passed in the store than here, and never less.
  const agoMs = nowMs - sentAtMs;
  const emptyInMs = reply.emptyInMs.map((ms) => ms - agoMs);
  observeBucket(s, { ...reply, emptyInMs, pausedMs: Math.max(0, reply.pausedMs - agoMs) }, nowMs);
  say(s, { serve: false });
}

// ---------------------------------------------------------------- times

/** A call and a timer may take this long: tokens that are leased for a shorter time come too late. In milliseconds. */
const LEAST_MS = 10;

/**
 * How many times `aheadMs` a lease is kept: requests come at random, and giving back a rest that is leased again at once costs two calls.
 */
const IDLE_AHEADS = 3;

/** A store that answers within this time is near: the spending meanwhile is negligible. In milliseconds. */
const NEAR_MS = 5;

/** Times that follow from the limits: how long the fastest unit takes to fill, and how far ahead a process leases. In milliseconds. */
export function timesOf({ known, terms }: LeaseState): { readonly fillMs: number; readonly aheadMs: number } {
  const fillMs = Math.min(
    ...known.limits.map(({ capacity, refillPerSecond }) => (capacity * 1_000) / refillPerSecond),
  );
  return { fillMs, aheadMs: Math.min(terms.wantedAheadMs, fillMs / 2) };
}

/** How far ahead waiting requests lease, all processes together, in milliseconds. */
const queueAheadMs = (state: LeaseState): number => Math.max(timesOf(state).aheadMs, LEAST_MS);

/** How long the store takes to reply; 0 for one that is near. */
const farMs = ({ roundTripMs }: LeaseState): number => (roundTripMs > NEAR_MS ? roundTripMs : 0);

const limitOf = ({ known }: LeaseState, unit: number): Quota => known.limits[unit] as Quota;

/** How many millionths come in per millisecond. */
const perMs = (state: LeaseState, unit: number): number => limitOf(state, unit).refillPerSecond * 1_000;

/** While requests wait for tokens that no one has leased yet, the store is asked for a pause at least this often. */
const FRESH_MS = 1_000;
const LEAST_FRESH_MS = 100;

/**
 * The least time between two looks while no tokens are given back: in a fleet with shorter turns, each call for tokens is look enough. In
 * milliseconds.
 */
const STILL_MS = 4_000;

/** How long more returned tokens are expected after tokens were given back, in milliseconds. */
const MOVING_MS = 1_000;

/**
 * When the last reply about the bucket is out of date. While requests elsewhere leave the queue, a waiting request
 * learns of an earlier turn after half of its wait, and of a pause within a second; else not before 4 s.
 */
function staleAfterMs(calledAtMs: number, dueAtMs: number, isMoving: boolean): number {
  const waitMs = dueAtMs - calledAtMs;
  return isMoving || waitMs === NEVER
    ? calledAtMs + Math.min(FRESH_MS, Math.max(waitMs / 2, LEAST_FRESH_MS))
    : calledAtMs + Math.max(STILL_MS, waitMs / 2);
}

function staleAtMs(s: LeaseState, { firstCost }: Backlog, nowMs: number): number {
  const dueAtMs = nowMs + (leasedInMs(s, firstCost, nowMs) ?? NEVER);
  return staleAfterMs(s.calledAtMs, dueAtMs, nowMs < s.movedAtMs + MOVING_MS);
}

function wakeAtMs(s: LeaseState, backlog: Backlog, nowMs: number): number {
  const { outage, refusal } = s;
  const isWaiting = backlog.count > 0;
  const expiries = s.units.flatMap(({ leases }) => leases.map(({ expiresAtMs }) => expiresAtMs));
  const expiryAtMs = isWaiting && isAsking(s) ? NEVER : Math.min(...expiries);
  if (outage !== undefined) return Math.min(expiryAtMs, nextCheckAtMs(s, outage, isWaiting));
  const nextAtMs = Math.min(expiryAtMs, s.settleAtMs);
  if (!isWaiting) return nextAtMs;
  // The pending lease may become unnecessary.
  const staleMs = isAsking(s) ? nowMs + FRESH_MS : staleAtMs(s, backlog, nowMs);
  return Math.min(nextAtMs, staleMs, refusal.endsAtMs > nowMs ? refusal.endsAtMs : NEVER);
}

// ---------------------------------------------------------------- leased tokens

/** Sums of times are rounded, so this many millionths of a token may seem to be missing. */
const ROUNDING = 0.5;

/** All tokens that are leased, future ones included. */
export function leftOf({ leases }: Pick<Unit, 'leases'>): number {
  let left = 0;
  for (const one of leases) left += one.left;
  return left;
}

/** Whether tokens are available. */
function has(leases: readonly LeasedTokens[], amount: number, perMs: number, nowMs: number): boolean {
  let available = 0;
  for (const { left, availableAtMs, expiresAtMs } of leases) {
    if (nowMs > expiresAtMs) continue;
    const future = Math.max(0, availableAtMs - nowMs) * perMs;
    available += Math.max(0, left - future);
  }
  return available + ROUNDING >= amount;
}

/** How long until as many tokens are available, in milliseconds; `undefined` if there are not as many. */
export function comesInMs(
  leases: readonly LeasedTokens[],
  amount: number,
  perMs: number,
  nowMs: number,
): number | undefined {
  let sum = 0;
  for (const { left, availableAtMs, expiresAtMs } of leases) {
    if (nowMs > expiresAtMs) continue;
    sum += left;
    if (sum >= amount) return Math.max(0, availableAtMs - (sum - amount) / perMs - nowMs);
  }
  return undefined;
}

/** How long until all units have so many tokens leased, in milliseconds; `undefined` if they do not hold as many. */
function leasedInMs(state: LeaseState, amounts: Amounts, nowMs: number): number | undefined {
  let longestMs = 0;
  for (const [at, { leases }] of state.units.entries()) {
    const amount = amounts[at] as number;
    const waitMs = amount > 0 ? comesInMs(leases, amount, perMs(state, at), nowMs) : 0;
    if (waitMs === undefined) return undefined;
    longestMs = Math.max(longestMs, waitMs);
  }
  return longestMs;
}

/** Takes tokens that are available. */
function spend(unit: Unit, amount: number, nowMs: number): void {
  let lacking = amount;
  for (const one of unit.leases) {
    if (nowMs > one.expiresAtMs) continue;
    const taken = Math.min(lacking, one.left);
    one.left -= taken;
    lacking -= taken;
    unit.mark = one.mark;
    if (lacking <= 0) break;
  }
  if (unit.leases[0]?.left === 0) unit.leases = unit.leases.filter(({ left }) => left > 0);
}

/** Adds a lease. The units of a request come together, so none expires before the last of them is there. */
function addLease(s: Draft, reply: Reply, isWaitedFor: boolean, nowMs: number): void {
  const { aheadMs, fillMs } = timesOf(s);
  const comes = reply.emptyInMs.map((ms, at) => (reply.granted[at] === 0 ? nowMs : nowMs + ms));
  const keptMs = isWaitedFor ? Math.max(fillMs, LEAST_MS) : IDLE_AHEADS * aheadMs;
  const expiresAtMs = Math.max(nowMs, ...comes) + keptMs;
  const mark = markOf(reply);
  s.units.forEach((unit, at) => {
    const left = reply.granted[at] as number;
    sizeGranted(s, unit, at, reply);
    // The first request in the queue needs all of them together.
    if (isWaitedFor) for (const one of unit.leases) one.expiresAtMs = Math.max(one.expiresAtMs, expiresAtMs);
    if (left > 0)
      add(
        unit.leases,
        { left, availableAtMs: nowMs + (reply.emptyInMs[at] as number), expiresAtMs, mark },
        perMs(s, at),
      );
  });
}

/** The store leases one stretch of time after the other, so earlier leases are available before this one starts. */
export function add(leases: LeasedTokens[], one: LeasedTokens, perMs: number): void {
  moveEarlier(leases, one.availableAtMs - one.left / perMs, perMs);
  leases.push(one);
}

/**
 * Moves leases to an earlier time after other processes returned tokens. According to the store all leased tokens,
 * here and elsewhere, are available at `endMs`: the last lease ends there at the latest, and each other one before
 * the next begins. Returns whether any lease moved.
 */
export function moveEarlier(leases: LeasedTokens[], endMs: number, perMs: number): boolean {
  let moved = false;
  let byMs = endMs;
  for (const one of leases.toReversed()) {
    const earlierMs = one.availableAtMs - byMs;
    if (earlierMs > 0) {
      one.availableAtMs -= earlierMs;
      one.expiresAtMs -= earlierMs;
      moved = true;
    }
    byMs = one.availableAtMs - one.left / perMs;
  }
  return moved;
}

/** Takes out tokens beyond `needed`, the latest first, as long as their lease is not available by `farMs`. */
export function trim(
  leases: LeasedTokens[],
  needed: number,
  farMs: number,
  perMs: number,
): Pick<LeasedTokens, 'left' | 'mark'>[] {
  const out: Pick<LeasedTokens, 'left' | 'mark'>[] = [];
  let beyond = leftOf({ leases }) - needed;
  for (let one = leases.at(-1); one !== undefined; one = leases.at(-1)) {
    const left = Math.floor(Math.min(one.left, beyond));
    if (left <= 0 || one.availableAtMs <= farMs) break;
    out.push({ left, mark: one.mark });
    one.left -= left;
    one.availableAtMs -= left / perMs;
    beyond -= left;
    if (one.left > 0) break;
    leases.pop();
  }
  return out;
}

/** Gives back expired tokens, and tokens beyond the need of the queue. */
function tidy(s: Draft, { totalCost, count }: Backlog, nowMs: number): void {
  const { aheadMs } = timesOf(s);
  s.units.forEach((unit, at) => {
    // Expired tokens stay if the rest of what the first request needs is on its way.
    if (count === 0 || !isAsking(s)) {
      if (count === 0)
        for (const one of unit.leases)
          one.expiresAtMs = Math.min(
            one.expiresAtMs,
            Math.max(one.availableAtMs, nowMs) + IDLE_AHEADS * aheadMs,
          );
      giveBack(s, unit, (one) => nowMs >= one.expiresAtMs, nowMs);
    }
    // Each cost is rounded up by itself, so their sum may exceed `totalCost` by less than `count`.
    const needed = (totalCost[at] as number) + count + onTheWay(s, unit);
    for (const { left, mark } of trim(unit.leases, needed, nowMs + aheadMs + farMs(s), perMs(s, at)))
      returnUnit(s, at, left, mark, nowMs);
  });
}

/** Gives leases back, after a short delay, so that one call gives back for many requests. */
function giveBack(s: Draft, unit: Unit, matches: (one: LeasedTokens) => boolean, nowMs: number): void {
  const dueAtMs = nowMs + timesOf(s).aheadMs;
  for (const { left, mark } of unit.leases.filter(matches))
    returnUnit(s, s.units.indexOf(unit), left, mark, dueAtMs);
  unit.leases = unit.leases.filter((one) => !matches(one));
}

function giveAllBack(s: Draft, nowMs: number): void {
  for (const unit of s.units) giveBack(s, unit, () => true, nowMs);
}

// ---------------------------------------------------------------- tokens to return and to charge

/** An amount of one unit, and none of the others. */
const amountOf = ({ units }: LeaseState, at: number, amount: number): Amounts =>
  units.map((_, unit) => (unit === at ? amount : 0));

/** The most leases to return in one call: a script holds up the store while it runs. */
const LEASES_PER_CALL = 32;

/** Tokens of one unit that are not spent are returned by then. */
function returnUnit(s: Draft, at: number, amount: number, mark: LeaseMark, dueAtMs: number): void {
  (s.units[at] as Unit).taken -= amount;
  returnTokens(s, at, amount, mark, dueAtMs);
}

/** Tokens of a lease are returned by then. */
function returnTokens(s: Draft, at: number, amount: number, mark: LeaseMark, dueAtMs: number): void {
  const amounts = amountOf(s, at, amount);
  const before = s.unspent.find((one) => one.mark === mark);
  if (before === undefined) s.unspent = [...s.unspent, { amounts, mark }];
  else {
    const sum = { amounts: plus(before.amounts, amounts), mark };
    s.unspent = s.unspent.map((one) => (one === before ? sum : one));
  }
  s.settleAtMs = Math.min(s.settleAtMs, dueAtMs);
}

/** Charges tokens that were spent without a lease, by then. */
function owe(s: Draft, amounts: Amounts, dueAtMs: number): void {
  if (!amounts.some((amount) => amount > 0)) return;
  s.owed = plus(s.owed, amounts);
  s.settleAtMs = Math.min(s.settleAtMs, dueAtMs);
}

function settle(s: Draft, surplus: Amounts, held: readonly (LeaseMark | undefined)[], nowMs: number): void {
  const dueAtMs = nowMs + timesOf(s).aheadMs;
  const { outage } = s;
  for (const [at, amount] of surplus.entries()) {
    const mark = held[at];
    if (amount > 0 && mark !== undefined) returnUnit(s, at, amount, mark, dueAtMs);
    else if (amount < 0 && outage?.mode === 'local') charge(s, outage, at, -amount, nowMs);
    else if (amount < 0) owe(s, amountOf(s, at, -amount), dueAtMs);
  }
}

const isOwing = ({ owed }: LeaseState): boolean => owed.some((amount) => amount > 0);

function takeUnspent(s: Draft): UnspentLease[] {
  const leases = s.unspent.slice(0, LEASES_PER_CALL);
  s.unspent = s.unspent.slice(LEASES_PER_CALL);
  if (s.unspent.length === 0) s.settleAtMs = NEVER;
  return leases.map(({ amounts, mark }) => ({ amounts: amounts.map(Math.floor), mark }));
}

function takeOwed(s: Draft): Amounts | undefined {
  if (!isOwing(s)) return undefined;
  const owed = s.owed.map(Math.ceil);
  s.owed = owed.map(() => 0);
  return owed;
}

/** The refunds and charges that are due. */
function settlements(s: Draft, nowMs: number): StoreCall[] {
  if (nowMs < s.settleAtMs) return [];
  const calls: StoreCall[] = [];
  while (s.unspent.length > 0) calls.push({ mode: 'refund', leases: takeUnspent(s) });
  const amounts = takeOwed(s);
  if (amounts !== undefined) calls.push({ mode: 'spend', amounts });
  s.settleAtMs = NEVER;
  return calls;
}

// ---------------------------------------------------------------- calls

/** A call that has no reply after so long will never get one. In milliseconds. */
const GIVEN_UP_MS = 10_000;

/** @param outage the outage that the call is to end */
function send(s: Draft, call: StoreCall, outage: number, nowMs: number): OpenCall {
  s.calls += 1;
  s.calledAtMs = nowMs;
  const who = s.terms.shared === undefined ? reportOf(s, nowMs) : undefined;
  const one: OpenCall = { id: s.calls, call: { ...call, who }, sentAtMs: nowMs, outage, isGivenUp: false };
  s.open = [
    ...s.open.filter(({ sentAtMs, isGivenUp }) => !isGivenUp || nowMs - sentAtMs <= GIVEN_UP_MS),
    one,
  ];
  return one;
}

const sendSoon = (s: Draft, call: StoreCall, outage: number, nowMs: number): void =>
  say(s, { calls: [...s.said.calls, send(s, call, outage, nowMs)] });

const isUnderWay = ({ open }: LeaseState, matches: (one: OpenCall) => boolean): boolean =>
  open.some((one) => !one.isGivenUp && matches(one));

/** Whether a lease is asked for. */
const isAsking = (state: LeaseState): boolean => isUnderWay(state, ({ call }) => call.mode === 'lease');

const isRefunding = (state: LeaseState): boolean =>
  state.unspent.length > 0 ||
  isOwing(state) ||
  isUnderWay(state, ({ call }) => call.mode === 'refund' || call.mode === 'spend');

/** Makes the calls that are due while the store is there. */
function ask(s: Draft, backlog: Backlog, nowMs: number): void {
  if (s.outage === undefined || s.isClosed) {
    const pause = nextPause(s, nowMs);
    const leased = nextLease(s, backlog, nowMs);
    const refunds = settlements(s, s.isClosed ? NEVER : nowMs);
    const calls = [pause, ...refunds, leased].filter((call) => call !== undefined);
    for (const call of calls) sendSoon(s, call, 0, nowMs);
    if (leased !== undefined && s.terms.shared === undefined) memberUsed(s.member, nowMs);
    // Requests that may be served now are not asked for.
    const isStale = backlog.count > 0 && !s.said.serve && nowMs >= staleAtMs(s, backlog, nowMs);
    const mustLook = s.mustLook || nowMs >= s.member.lookAtMs || isStale;
    const mayLook = s.isClosed ? s.member.isKnown && calls.length === 0 : mustLook;
    if (mayLook && !isAsking(s)) sendSoon(s, { mode: 'peek' }, 0, nowMs);
  }
  s.mustLook = false;
}

function nextLease(s: Draft, backlog: Backlog, nowMs: number): TokenLeaseCall | undefined {
  if (isAsking(s)) return undefined;
  const { missed, isLow } = s;
  const isWaiting = backlog.count > 0;
  s.missed = undefined;
  s.isLow = false;
  const isLacking = isWaiting && leasedInMs(s, backlog.firstCost, nowMs) === undefined;
  if (!(isLacking || isLow || missed !== undefined) || !isOpen(s, nowMs)) return undefined;
  const needs =
    missed === undefined || isWaiting ? backlog : { ...backlog, firstCost: missed, totalCost: missed };
  const call = leaseCall(s, needs, nowMs);
  if (call === undefined || isTooLate(s, call.minAmounts, nowMs + call.withinMs, nowMs)) return undefined;
  // The same call returns and charges open amounts.
  return isRefunding(s) ? { ...call, leases: takeUnspent(s), spent: takeOwed(s) } : call;
}

/** Whether the store has said that as many more tokens come after `byAtMs`. */
export function isTooLate({ refusal }: LeaseState, lacking: Amounts, byAtMs: number, nowMs: number): boolean {
  return nowMs < refusal.endsAtMs && !isMore(refusal.amounts, lacking) && byAtMs <= refusal.byAtMs;
}

// ---------------------------------------------------------------- the size of a lease
//
// By the need of the queue, the spending, and the store's replies. Every process leases for about the same number of requests, whatever
// their cost, so the fleet advances like one queue. A lease covers at most half of the process's own queue, and about as much as other
// processes lease.

const ONE_TOKEN = 1e6;

/** A process may lease this much more than the average process, so that the average can grow. */
const GROWTH = 1.1;

/** With keys, a turn is for more than one request of each if this process's part of the refill pays for so many. */
const KEYS = 8;

/** This process's part of the tokens that come in within `durationMs`. */
const fairShare = (s: LeaseState, at: number, durationMs: number): number =>
  (perMs(s, at) * durationMs) / Math.max(1, s.processes);

/** The expected spending until the next call is answered. */
const onTheWay = (s: LeaseState, unit: Unit): number => (farMs(s) === 0 ? 0 : unit.window);

/** The expected spending of this process within `aheadMs` and a round trip. */
const expectedSpend = (s: LeaseState, unit: Unit): number =>
  unit.spentPerMs * (timesOf(s).aheadMs + farMs(s));

/** With as many tokens leased no other lease is needed yet. */
function enough(s: LeaseState, unit: Unit, at: number, totalCost: number): number {
  if (totalCost === 0) return unit.lowWater;
  const forQueue = Math.min(totalCost / 2, fairShare(s, at, queueAheadMs(s)) / 2, unit.lastLease);
  // The expected spending until the tokens of a call from now arrive.
  const far = farMs(s);
  return far === 0 ? forQueue : Math.max(forQueue, unit.window * (1 + unit.comesInMs / far));
}

/** The tokens of each unit for the same number of whole requests; `undefined` if no request needs more than is leased. */
function leaseCall(s: Draft, backlog: Backlog, nowMs: number): TokenLeaseCall | undefined {
  const { count, firstCost, firstDeadlineMs, totalCost } = backlog;
  const left = s.units.map(leftOf);
  const isLacking = isMore(firstCost, left);
  const wanted = s.units.map((unit, at) => enough(s, unit, at, totalCost[at] as number));
  if (!isLacking && !isMore(wanted, left)) return undefined;
  const minAmounts = s.units.map((_, at) => {
    const had = left[at] as number;
    if (isLacking) return Math.max(0, Math.ceil((firstCost[at] as number) - had));
    return had < (wanted[at] as number) ? Math.ceil(Math.min(ONE_TOKEN, limitOf(s, at).capacity * 1e6)) : 0;
  });
  const atLeast = (amount: number, at: number): number =>
    Math.max(minAmounts[at] as number, Math.ceil(amount));
  countSpent(s, left, nowMs);
  const maxAvailable = s.units.map((unit, at) => {
    const cost = totalCost[at] as number;
    // If no request waits, tokens left below the low-water mark do not shorten the lease.
    const expected = (cost > 0 ? 1 : 1.25) * expectedSpend(s, unit);
    return atLeast(cost + expected - (left[at] as number), at);
  });
  // Only requests that wait can use future tokens.
  if (s.terms.nonConforming !== 'delay')
    return { mode: 'lease', minAmounts, maxAvailable, maxFuture: minAmounts, withinMs: 0 };
  const through = count > 0 ? throughTurn(s, backlog, left) : undefined;
  const maxFuture = s.units.map((unit, at) => {
    const way = onTheWay(s, unit);
    if (through !== undefined)
      return atLeast(Math.max((through[at] as number) - (left[at] as number), way), at);
    const share = fairShare(s, at, timesOf(s).aheadMs + farMs(s));
    return atLeast(Math.min(Math.max(expectedSpend(s, unit), way), share), at);
  });
  return { mode: 'lease', minAmounts, maxAvailable, maxFuture, withinMs: firstDeadlineMs - nowMs };
}

function countSpent(s: Draft, left: Amounts, nowMs: number): void {
  const overMs = timesOf(s).aheadMs + 2 * farMs(s);
  const elapsedMs = nowMs - s.countedAtMs;
  s.countedAtMs = nowMs;
  s.units.forEach((unit, at) => {
    const spent = unit.taken - (left[at] as number);
    const lately = spent - unit.counted;
    unit.counted = spent;
    if (elapsedMs <= 0) unit.spentPerMs += lately / overMs;
    else unit.spentPerMs += (lately / elapsedMs - unit.spentPerMs) * (1 - Math.exp(-elapsedMs / overMs));
  });
}

/**
 * The amounts to lease for the requests of one turn, already leased tokens included. With keys the number of requests is the weight of all
 * keys that wait here, or a multiple of the weight: a key thus has the same share in each process in which it waits.
 */
function throughTurn(s: LeaseState, { count, totalCost, shares, costs }: Backlog, left: Amounts): Amounts {
  const { random } = s.terms;
  const means = totalCost.map((cost) => cost / count);
  // Only whole requests are leased for, so the fraction is rounded at random.
  const most = s.units.map(
    ({ fleetAverage }, at) => fleetAverage * GROWTH + (means[at] as number) * random(),
  );
  // A unit that costs nothing sets no bound.
  const paid = Math.min(
    ...means.map((mean, at) => (mean === 0 ? NEVER : fairShare(s, at, queueAheadMs(s)) / mean)),
  );
  if (shares === undefined || s.processes <= 1)
    return costThrough(costs, left, Math.max(1, Math.floor(Math.min(count / 2, paid))), most);
  const times = Number.isFinite(paid) ? Math.max(1, Math.floor(paid / KEYS)) : 1;
  return costThrough(
    costs,
    left,
    Math.max(1, Math.floor(times * shares + random())),
    most.map(() => NEVER),
  );
}

/**
 * The cost of the first requests: those that `covered` tokens pay for, and then at least one and at most `more`
 * others, while all of them cost at most `covered + most`.
 */
function costThrough(costs: Iterable<Amounts>, covered: Amounts, more: number, most: Amounts): Amounts {
  const bound = plus(covered, most);
  let sum: Amounts = covered.map(() => 0);
  let left = more;
  for (const cost of costs) {
    if (left <= 0) break;
    const next = plus(sum, cost);
    if (left < more && isMore(next, bound)) break;
    sum = next;
    if (isMore(sum, covered)) left -= 1;
  }
  return sum.map((amount, unit) => Math.max(amount, covered[unit] as number));
}

/** The store has answered. `isDry`: requests wait, and nothing was left for them. */
function sizeAnswered(s: LeaseState, unit: Unit, at: number, reply: Reply, isDry: boolean): void {
  const granted = reply.granted[at] as number;
  // The store had more than was asked for, so requests wait for the round trip. Else other processes wait as well, and grow as fast: by
  // real spending, since tokens idle here are lost to the others.
  const isSpare = (reply.emptyInMs[at] as number) * perMs(s, at) <= granted;
  const spentMeanwhile = unit.spentPerMs * farMs(s);
  let wanted = unit.window * 0.9;
  if (isDry) wanted = isSpare ? 4 * Math.max(unit.window, granted) : 3 * spentMeanwhile;
  unit.window = Math.min(Math.max(wanted, spentMeanwhile, ONE_TOKEN), fairShare(s, at, farMs(s)));
}

/** The store has leased tokens. */
function sizeGranted(s: LeaseState, unit: Unit, at: number, reply: Reply): void {
  const { aheadMs } = timesOf(s);
  const emptyInMs = reply.emptyInMs[at] as number;
  unit.lastLease = reply.granted[at] as number;
  unit.taken += unit.lastLease;
  unit.comesInMs = Math.max(0, emptyInMs);
  unit.fleetAverage = reply.averageLease[at] || NEVER;
  // If requests anywhere wait for future tokens, none can be leased in advance.
  unit.lowWater = emptyInMs > aheadMs + farMs(s) ? -1 : unit.spentPerMs * (aheadMs / 4 + farMs(s));
}

// ---------------------------------------------------------------- the pause of the fleet

/** Pauses the fleet. Never shortens a pause. */
function beginPause(s: Draft, endsAtMs: number, nowMs: number): void {
  if (endsAtMs <= s.pausedAtMs) return;
  s.pauseUnsent = { endsAtMs };
  movePause(s, endsAtMs, nowMs);
}

/** Ends the pause of the fleet. Other processes see that with their next call. */
function endPause(s: Draft, nowMs: number): void {
  if (nowMs >= s.pausedAtMs) return;
  // If the pause was never sent, its end need not be either.
  s.pauseUnsent = s.pauseUnsent === undefined ? 'end' : undefined;
  movePause(s, nowMs, nowMs);
}

function movePause(s: Draft, endsAtMs: number, nowMs: number): void {
  const laterMs = endsAtMs - s.pausedAtMs;
  s.pausedAtMs = endsAtMs;
  for (const local of s.outage?.local ?? []) {
    if (laterMs > 0) {
      const putOffMs = Math.max(0, endsAtMs - local.emptyAtMs);
      local.emptyAtMs += putOffMs;
      local.pausedMs += putOffMs;
    } else {
      local.emptyAtMs -= Math.min(-laterMs, local.pausedMs);
      local.pausedMs = 0;
    }
  }
  if (laterMs > 0) giveAllBack(s, nowMs);
  else say(s, { serve: true });
}

/** Takes over the pause of a reply: another process may have begun or ended one. */
function observePause(s: Draft, { pausedMs }: Reply, nowMs: number): void {
  // The store may not have had our own pause yet, or its end.
  if (isPausing(s)) return;
  if (pausedMs > 0 || nowMs < s.pausedAtMs) movePause(s, nowMs + pausedMs, nowMs);
}

function nextPause(s: Draft, nowMs: number): StoreCall | undefined {
  const message = s.pauseUnsent;
  if (message === undefined) return undefined;
  // A pause is sent as a duration: sent before there is a connection it would begin, and end, too late, so the state is read first.
  if (s.processes === 0) return s.open.length === 0 ? { mode: 'peek' } : undefined;
  s.pauseUnsent = undefined;
  if (message !== 'end' && message.endsAtMs <= nowMs) return undefined;
  s.pauseCall = s.calls + 1;
  return message === 'end' ? { mode: 'unpause' } : { mode: 'pause', durationMs: message.endsAtMs - nowMs };
}

/** A call about a pause has ended. If it failed it is sent again, unless a later one was sent meanwhile. */
function pauseTold(s: Draft, { id, call, sentAtMs }: OpenCall, reply: Reply | undefined): void {
  if (reply !== undefined || s.isClosed || id !== s.pauseCall) return;
  s.pauseUnsent ??= call.mode === 'pause' ? { endsAtMs: sentAtMs + call.durationMs } : 'end';
}

const isPausing = (state: LeaseState): boolean =>
  state.pauseUnsent !== undefined || isUnderWay(state, ({ id }) => id === state.pauseCall);

// ---------------------------------------------------------------- without the store

/** The delay before the first retry. It doubles with each retry, up to `retryMs`. */
const FIRST_RETRY_MS = 100;

/**
 * With this many calls unanswered, retries come only every `CROWDED_RETRY_MS`: some clients keep all of them, and send
 * them when they are connected again.
 */
const MAX_UNANSWERED = 20;
const CROWDED_RETRY_MS = 2_000;

/** A process retries by itself for so long after its last request. In milliseconds. */
const ACTIVE_MS = 5_000;

/** A slow store has to reply in time for so long before it counts as back, in milliseconds. */
const CALM_MS = 6_000;

/** Without any reply for so long a store counts as silent again, in milliseconds. */
const SILENT_MS = 2_000;

/** A store that lost the bucket repeatedly must keep it so long before the bucket is shared again, in milliseconds. */
const PROBATION_MS = 1_000;

/** How long to wait before a retry, at random within the second half of it, so that a fleet does not retry at once. */
export function retryDelayMs(
  { retryMs, random }: Pick<LeaseTerms, 'random' | 'retryMs'>,
  retries: number,
): number {
  return Math.min(retryMs, FIRST_RETRY_MS * 2 ** retries) * (1 - random() / 2);
}

/**
 * True shortly after an outage, when a slightly late reply must not lose the store again: if the round trip varies
 * around `timeoutMs`, calls would begin and end outages in turn.
 */
export const isSlow = (state: LeaseState, nowMs: number): boolean =>
  !state.isClosed && nowMs - state.backAtMs < CALM_MS;

function lose(
  s: Draft,
  error: unknown,
  { call, sentAtMs }: OpenCall,
  isGivenUp: boolean,
  nowMs: number,
): void {
  if (s.outage !== undefined) return;
  if (s.isClosed) {
    // No outage begins after the end, but what could not be given back or charged is told, once.
    if (!s.isTold && call.mode !== 'peek')
      tell(s, { type: 'lost', error, mode: s.terms.onStoreError, share: 0 });
    s.isTold ||= call.mode !== 'peek';
    return;
  }
  const { mode, share } = beginOutage(s, error, { atMs: sentAtMs, wasSilent: isGivenUp }, nowMs);
  memberLost(s, sentAtMs);
  tell(s, { type: 'lost', error, mode, share });
  say(s, { serve: true });
}

function beginOutage(
  s: Draft,
  error: unknown,
  { atMs, wasSilent }: { readonly atMs: number; readonly wasSilent: boolean },
  nowMs: number,
): Outage {
  const { onStoreError, localShare, timeoutMs } = s.terms;
  const share = onStoreError === 'local' ? (localShare ?? shareAt(s, atMs)) : 0;
  // An unknown share cannot be spent.
  const mode = onStoreError === 'local' && share === 0 ? 'closed' : onStoreError;
  // In the other modes requests get all or nothing meanwhile, so the store counts as back with its first reply.
  const isProof = !(wasSilent && mode === 'local');
  // If an outage ended just now, a quick reply proves nothing.
  const quickMs = nowMs - s.backAtMs < CALM_MS ? 0 : timeoutMs / 2;
  s.outages += 1;
  s.outage = {
    ...{
      number: s.outages,
      beganAtMs: atMs,
      error,
      mode,
      share,
      sharedAtMs: NEVER,
      paid: s.units.map(() => 0),
    },
    isForgetful: error instanceof ForgetfulStoreError,
    // Other processes have leased as far ahead again since the last reply.
    local: s.units.map(({ leasedAheadMs }) => ({
      ...{ emptyAtMs: nowMs + leasedAheadMs, pausedMs: 0, spent: 0, collected: 0, isStaggered: false },
    })),
    ...{ usedAtMs: nowMs, nextRetryAtMs: 0, lastRetryAtMs: 0, retries: 0 },
    ...{ quickMs: isProof ? NEVER : quickMs, wasSilent: !isProof, isBack: false, charged: undefined },
    ...{ inTimeAtMs: NEVER, repliedAtMs: LONG_AGO },
  };
  scheduleRetry(s, s.outage, nowMs);
  return s.outage;
}

function scheduleRetry(s: LeaseState, outage: Outage, nowMs: number): void {
  const delayMs = retryDelayMs(s.terms, outage.retries);
  outage.retries = Math.min(outage.retries + 1, 30);
  outage.lastRetryAtMs = nowMs;
  outage.nextRetryAtMs = nowMs + delayMs;
}

/** When to retry next; `Infinity` once the store has replied. */
function retryAtMs(s: LeaseState, outage: Outage): number {
  if (outage.sharedAtMs < NEVER) return NEVER;
  if (s.open.length < MAX_UNANSWERED) return outage.nextRetryAtMs;
  return Math.max(outage.nextRetryAtMs, outage.lastRetryAtMs + CROWDED_RETRY_MS);
}

/** When a timer is needed; `Infinity` if no request waits and there was none lately. */
function nextCheckAtMs(s: LeaseState, outage: Outage, isWaiting: boolean): number {
  const checkAtMs = Math.min(outage.sharedAtMs, retryAtMs(s, outage));
  return isWaiting || checkAtMs <= outage.usedAtMs + ACTIVE_MS ? checkAtMs : NEVER;
}

function checkOutage(s: Draft, outage: Outage, isWaiting: boolean, nowMs: number): void {
  // No request needs the store: it is not called.
  if (nowMs < nextCheckAtMs(s, outage, isWaiting)) return;
  const isShared = nowMs >= outage.sharedAtMs;
  if (!isShared && nowMs < retryAtMs(s, outage)) return;
  // The store has to have kept the bucket, which a look shows.
  if (isShared && outage.isForgetful) sendAway(s, outage, { mode: 'peek' }, nowMs);
  else if (isShared && outage.isBack) endOutage(s, outage, nowMs);
  else if (isShared || outage.charged !== undefined)
    sendAway(s, outage, { mode: 'spend', amounts: nextCharge(outage) }, nowMs);
  else {
    const outageMs = nowMs - outage.beganAtMs;
    // The first process to reach the store keeps the shared bucket closed until the others have reached it as well, so that none spends
    // its local share beside the shared bucket. Local shares go on meanwhile.
    const hasOthers = outage.mode === 'local' && outage.share !== 1;
    const handoverMs = hasOthers ? 2 * Math.min(s.terms.retryMs, outageMs) : 0;
    sendAway(s, outage, { mode: 'resume', outageMs, handoverMs }, nowMs);
  }
}

function sendAway(s: Draft, outage: Outage, call: StoreCall, nowMs: number): void {
  outage.sharedAtMs = NEVER;
  scheduleRetry(s, outage, nowMs);
  sendSoon(s, call, outage.number, nowMs);
}

/**
 * The amounts spent since the last charge; 0 the first time. A charge without a reply is not repeated: the charge came late, most likely.
 */
export function nextCharge(outage: Outage): Amounts {
  const spent = outage.local.map((local) => Math.ceil(local.spent));
  const before = outage.charged ?? spent;
  outage.charged = spent;
  return spent.map((amount, unit) => amount - (before[unit] as number));
}

/**
 * An attempt has ended, or one that was given up got its reply. If the round trip varies around `timeoutMs`, the first reply in time would
 * end the outage, and the next call would start another. A store with late replies is therefore not back yet: the process goes on with its
 * local share, and charges the spent tokens to the store, because other processes may share the bucket already.
 */
export function attemptEnded(
  outage: Outage,
  { call, sentAtMs }: OpenCall,
  reply: Reply | undefined,
  state: Answer['state'],
  nowMs: number,
): void {
  if (reply === undefined || reply.tooLate || state === 'late') outage.inTimeAtMs = NEVER;
  if (reply === undefined) {
    // Without any reply the others do not share the bucket either.
    if (nowMs - outage.repliedAtMs > SILENT_MS) outage.charged = undefined;
    return;
  }
  outage.repliedAtMs = nowMs;
  if (reply.tooLate) {
    if (call.mode === 'spend')
      outage.charged = outage.charged?.map((sum, unit) => sum - (call.amounts[unit] as number));
  } else if (state === 'late') {
    // Before the bucket serves anyone again, local shares are all that is spent.
    if (outage.charged === undefined && outage.wasSilent && reply.resumedUs <= reply.atUs) nextCharge(outage);
  } else {
    outage.inTimeAtMs = Math.min(outage.inTimeAtMs, nowMs);
    outage.isBack = nowMs - sentAtMs <= outage.quickMs || nowMs - outage.inTimeAtMs >= CALM_MS;
  }
}

function receiveAway(
  s: Draft,
  outage: Outage,
  { call, sentAtMs }: OpenCall,
  reply: Reply | undefined,
  nowMs: number,
): void {
  say(s, { serve: true });
  learnShare(s, outage, reply?.tooLate === true, nowMs);
  if (reply === undefined || reply.tooLate) return;
  s.answeredAtMs = Math.max(s.answeredAtMs, sentAtMs);
  if (observeBucket(s, reply, nowMs) !== undefined) return;
  if (call.mode !== 'resume') {
    if (outage.isBack) endOutage(s, outage, nowMs);
    return;
  }
  // Below 0: for how long the others have shared the bucket already, since the outage began.
  const resumeInMs = Math.max((reply.resumedUs - reply.atUs) / 1_000, -call.outageMs);
  outage.sharedAtMs = nowMs + Math.max(0, resumeInMs, outage.isForgetful ? PROBATION_MS : 0);
  if (resumeInMs > 0) return;
  // Tokens are paid back that were spent while others already shared the bucket, unless their replies were lost as well. The debt is
  // therefore at most this process's share of the capacity: a long outage must not starve the fleet afterwards. Tokens that an earlier
  // attempt has paid back are not paid again.
  const before = outage.paid;
  outage.paid = outage.local.map((local, at) => {
    const { refillPerSecond, capacity } = localQuota(s, outage, at);
    const lately =
      resumeInMs < 0 ? Math.min(local.spent, capacity - (resumeInMs * refillPerSecond) / 1_000) : 0;
    return Math.max(before[at] as number, Math.min(lately, limitOf(s, at).capacity * 1e6 * outage.share));
  });
  owe(
    s,
    outage.paid.map((sum, at) => sum - (before[at] as number)),
    LONG_AGO,
  );
}

function endOutage(s: Draft, { beganAtMs }: Outage, nowMs: number): void {
  s.outage = undefined;
  // It was of the store as it was before the outage.
  s.refusal = NOT_REFUSED;
  s.backAtMs = nowMs;
  tell(s, { type: 'back', outageMs: nowMs - beganAtMs });
  say(s, { serve: true });
}

/** Takes in the recorded share from a late reply. */
function learnShare(s: Draft, outage: Outage, isTold: boolean, nowMs: number): void {
  const { localShare, onStoreError } = s.terms;
  const share = shareAt(s, nowMs);
  if (onStoreError !== 'local' || localShare !== undefined || share === outage.share || share === 0) return;
  const isFirst = outage.share === 0;
  outage.share = share;
  outage.mode = 'local';
  // Spent tokens stay spent, and another share has none at first.
  for (const local of outage.local) local.emptyAtMs = Math.max(local.emptyAtMs, nowMs);
  if (isFirst && isTold) tell(s, { type: 'lost', error: outage.error, mode: outage.mode, share });
}

/** This process's share of a unit, in millionths of a token. */
function localQuota(state: LeaseState, { share }: Outage, at: number): Quota {
  const { refillPerSecond, capacity } = limitOf(state, at);
  const part = (share || 1) * 1e6;
  return { refillPerSecond: refillPerSecond * part, capacity: capacity * part };
}

function charge(s: LeaseState, outage: Outage, at: number, amount: number, nowMs: number): void {
  const local = outage.local[at] as Local;
  local.emptyAtMs = gcra.spend(localQuota(s, outage, at), local.emptyAtMs, amount, nowMs);
  local.spent += amount;
}

/** How long until the first request in the queue can take its tokens, or collect more, in milliseconds. */
function headWaitMs(s: LeaseState, outage: Outage, at: number, amount: number, nowMs: number): number {
  const { collected, emptyAtMs } = outage.local[at] as Local;
  const quota = localQuota(s, outage, at);
  const lacking = amount - collected;
  return lacking <= 0 ? 0 : gcra.waitMs(quota, emptyAtMs, Math.min(lacking, quota.capacity), nowMs);
}

/**
 * Whether the tokens are available. A request that costs more than the share's capacity collects them over several calls.
 * Without a random delay the processes of a fleet would all collect, and send, at the same time.
 */
function collect(s: LeaseState, outage: Outage, at: number, amount: number, nowMs: number): boolean {
  const local = outage.local[at] as Local;
  const { capacity } = localQuota(s, outage, at);
  if (amount <= capacity) local.collected = Math.min(local.collected, capacity);
  else if (!local.isStaggered) {
    local.isStaggered = true;
    charge(s, outage, at, amount * s.terms.random(), nowMs);
  }
  if (headWaitMs(s, outage, at, amount, nowMs) > 0) return false;
  if (amount - local.collected <= capacity) return true;
  charge(s, outage, at, capacity, nowMs);
  local.collected += capacity;
  return false;
}

/** Takes the local tokens of all units, or of none. */
function takeLocal(s: LeaseState, outage: Outage, amounts: Amounts, nowMs: number): boolean {
  const isThere = amounts.map((amount, at) => amount === 0 || collect(s, outage, at, amount, nowMs));
  if (isThere.includes(false)) return false;
  for (const [at, amount] of amounts.entries()) {
    const local = outage.local[at] as Local;
    if (amount === 0) continue;
    const paid = Math.max(0, amount - local.collected);
    charge(s, outage, at, paid, nowMs);
    local.collected = Math.max(0, local.collected + paid - amount);
  }
  return true;
}

// ---------------------------------------------------------------- the share of this process
//
// The part of the quota that it may spend while the store is away. It never takes more than the store has recorded for it, nor for longer
// than announced to the store.

/** The least time between two calls that count this process, and the least time per process of the fleet. In milliseconds. */
const SOON_MS = 50;
const SOON_EACH_MS = 2;

/** How soon a process asks for a larger share: others have to make room. Later half of the time that it has asked. In milliseconds. */
const GROW_MS = 200;
const LONGEST_GROW_MS = 5_000;

/** The time between two counts of a busy process, and the least time per process of the fleet. In milliseconds. */
const BUSY_MS = 3_000;
const BUSY_EACH_MS = 20;

/**
 * The time without a request after which a process is quiet: a quiet process reports once that it holds its share for twice
 * {@link QUIET_MS}, and makes no more calls to keep the share. Later requests take the report along. In milliseconds.
 */
const QUIET_AFTER_MS = 6_000;
const QUIET_MS = 60_000;

/** A quiet process with two requests within this time is busy again, in milliseconds. */
const BUSY_FOR_MS = 5_000;

/** A call is late by so much at most: then the share is still held. In milliseconds. */
const LATE_MS = 2_000;

/** A share that differs by less from an equal part is as good as one, in millionths. */
const NEAR = 1_000;

const WHOLE = 1_000_000;

/**
 * The least share after losses of the bucket, and the share of a process that was quiet for longer than announced: 64 processes keep to the
 * rate, even if none knows of the others.
 */
const LEAST = WHOLE / 64;

const leastShare = ({ terms }: LeaseState): number =>
  terms.processes.expected === 0 ? LEAST : WHOLE / terms.processes.expected;

/** The rest of a share that is not held any more: other processes may have the share. */
const unheld = (state: LeaseState): number => Math.min(state.member.recorded, leastShare(state));

/** The part of the quota for this process without the store at a given time, from 0 to 1. */
export function shareAt(state: LeaseState, nowMs: number): number {
  const { member, fleet } = state;
  return fleet?.share ?? (nowMs <= member.heldAtMs ? member.held : unheld(state)) / WHOLE;
}

/** A request needs the store. */
function memberUsed(member: Member, nowMs: number): void {
  const isBusy = nowMs - member.usedAtMs < BUSY_FOR_MS;
  member.usedAtMs = nowMs;
  if (!isBusy || !member.isQuiet) return;
  member.isQuiet = false;
  member.dueAtMs = Math.min(member.dueAtMs, member.countedAtMs + BUSY_MS);
}

/** Whether a request of another key should count this process, since it makes no call for that by itself. */
export const mustJoin = ({ outage, member }: LeaseState, nowMs: number): boolean =>
  outage !== undefined || (member.lookAtMs === NEVER && nowMs >= member.dueAtMs);

/** A call at that time has lost the store: the share held then is in use until the store is back. */
function memberLost(s: Draft, atMs: number): void {
  const { member } = s;
  if (atMs > member.heldAtMs) member.held = unheld(s);
  member.heldAtMs = NEVER;
}

/** How many processes there will be at least, as far as that is known. */
function expects({ member, terms }: LeaseState): number {
  const { expected } = terms.processes;
  return member.isQuiet ? Math.max(expected, member.mostProcesses) : expected;
}

/** The report of this process for the next call, if one is due; that it leaves after the end. */
function reportOf(s: Draft, nowMs: number): Who | undefined {
  const { member } = s;
  const { name } = member;
  if (s.isClosed) {
    if (!member.isKnown) return undefined;
    member.isKnown = false;
    member.lookAtMs = NEVER;
    return { name, held: Math.ceil(member.held), holdsMs: 0, expected: 0 };
  }
  // While the store is away the share is in use until it is back.
  if (s.outage !== undefined) member.heldAtMs = NEVER;
  else if (nowMs < member.dueAtMs) return undefined;
  if (nowMs > member.heldAtMs) member.held = 0;
  member.isQuiet ||= isIdle(member, nowMs);
  const busyMs = Math.max(BUSY_MS, BUSY_EACH_MS * member.processes);
  member.everyMs = member.isQuiet ? Math.max(QUIET_MS, busyMs) : busyMs;
  member.countedAtMs = nowMs;
  member.dueAtMs = nowMs + s.terms.timeoutMs;
  member.lookAtMs = member.dueAtMs;
  member.isKnown = true;
  const holdsMs = 2 * member.everyMs + LATE_MS + 2 * s.terms.timeoutMs;
  return { name, held: member.held, holdsMs, expected: expects(s) };
}

/** A call got a reply, or never will. */
function memberTold(
  s: Draft,
  { id, call, sentAtMs }: OpenCall,
  reply: Reply | undefined,
  nowMs: number,
): void {
  const { member } = s;
  const { who } = call;
  if (reply === undefined) return;
  const isCounted = who !== undefined && who.holdsMs > 0 && reply.share !== undefined && id > member.answered;
  const ageUs = reply.atUs - reply.epoch;
  if (!isCounted) {
    // Others have come or gone, or the store has lost the shares.
    const isOther = reply.epoch !== member.epoch || reply.processes !== member.processes;
    if (member.isKnown && isOther) dueSoon(member, nowMs);
    // The bucket has recorded all that hold a share since it counted this process, though the next count is far.
    if (!isOther && ageUs >= SURE_US) member.sure = member.held;
    return;
  }
  const share = reply.share as number;
  member.answered = id;
  member.mostProcesses = member.isQuiet ? Math.max(member.mostProcesses, reply.processes) : reply.processes;
  const fair = Math.floor(WHOLE / Math.max(reply.processes, expects(s)));
  const isSmaller = share < member.held;
  const isSettled = Math.abs(share - fair) <= NEAR;
  // After a loss others may hold a share that neither the bucket before nor this one has recorded.
  const isLost = member.epoch !== 0 && reply.epoch !== member.epoch;
  const least = Math.max(member.sure, leastShare(s), Math.floor(share / 2));
  member.held = isLost ? Math.min(share, least) : share;
  if (ageUs >= SURE_US) member.sure = member.held;
  member.heldAtMs = sentAtMs + who.holdsMs;
  if (nowMs <= member.heldAtMs) member.recorded = member.held;
  member.processes = reply.processes;
  member.epoch = reply.epoch;
  // The store keeps a smaller share reserved until this process has confirmed it.
  if (isSmaller) dueSoon(member, nowMs);
  else if (isSettled || isIdle(member, nowMs)) {
    member.askingAtMs = undefined;
    member.dueAtMs = member.countedAtMs + (isSettled ? member.everyMs : BUSY_MS);
    // A request before then takes the report along; a quiet process waits for a request.
    if (member.isQuiet) member.lookAtMs = NEVER;
    else lookBy(member, member.dueAtMs + member.everyMs);
  } else {
    member.askingAtMs ??= nowMs;
    dueSoon(member, nowMs);
    const laterMs = Math.min(Math.max(GROW_MS, (nowMs - member.askingAtMs) / 2), LONGEST_GROW_MS);
    // In a younger bucket no share grows; others look whether it was lost.
    const sureInMs = reply.processes > 1 ? 0 : (SURE_US - ageUs) / 1_000;
    lookBy(member, Math.max(member.lookAtMs, nowMs + Math.max(laterMs, sureInMs)));
  }
}

function dueSoon(member: Member, nowMs: number): void {
  member.dueAtMs = Math.max(nowMs, member.countedAtMs + Math.max(SOON_MS, SOON_EACH_MS * member.processes));
  lookBy(member, member.dueAtMs);
}

/** No request has come for so long. False before the first. */
const isIdle = ({ usedAtMs }: Member, nowMs: number): boolean =>
  usedAtMs > LONG_AGO && nowMs - usedAtMs >= QUIET_AFTER_MS;

/** Calls the store at that time. */
function lookBy(member: Member, atMs: number): void {
  member.lookAtMs = atMs;
  member.dueAtMs = Math.min(member.dueAtMs, atMs);
}

// ---------------------------------------------------------------- what a bucket asks

/** True if no pause and no end keeps requests from their tokens. */
export const isOpen = (state: LeaseState, nowMs: number): boolean =>
  nowMs >= state.pausedAtMs && !state.isClosed;

/** True while a call is under way, or about to be made, after which the bucket may stand otherwise. */
export const isBusy = (state: LeaseState): boolean =>
  isAsking(state) ||
  state.missed !== undefined ||
  state.isLow ||
  isRefunding(state) ||
  isPausing(state) ||
  state.outage !== undefined;

/** After the end: true while something is given back, charged or told that has no answer yet. */
export const isSettling = (state: LeaseState): boolean =>
  isAsking(state) ||
  isRefunding(state) ||
  isPausing(state) ||
  isUnderWay(state, ({ call }) => call.who?.holdsMs === 0);

/** Where tokens came from: `'store'` if they were leased, `'local'` or `'open'` without the store. */
type Source = 'store' | 'local' | 'open';

/**
 * Takes tokens of all units if they are available. This is the hot path, and the only function that changes a state. To keep a state, copy it
 * before.
 */
export function take(state: LeaseState, amounts: Amounts, nowMs: number): Source | undefined {
  if (!isOpen(state, nowMs)) return undefined;
  const s: Draft = state;
  const { outage, units } = s;
  if (!isThere(s, amounts, nowMs)) {
    if (outage === undefined) return undefined;
    outage.usedAtMs = nowMs;
    if (outage.mode !== 'local') return outage.mode === 'open' ? 'open' : undefined;
    return takeLocal(s, outage, amounts, nowMs) ? 'local' : undefined;
  }
  for (let at = 0; at < units.length; at += 1) {
    const unit = units[at] as Unit;
    const amount = amounts[at] as number;
    if (amount === 0) continue;
    spend(unit, amount, nowMs);
    s.isLow ||= leftOf(unit) < unit.lowWater;
  }
  return 'store';
}

function isThere(s: LeaseState, amounts: Amounts, nowMs: number): boolean {
  for (let at = 0; at < s.units.length; at += 1) {
    const amount = amounts[at] as number;
    if (amount > 0 && !has((s.units[at] as Unit).leases, amount, perMs(s, at), nowMs)) return false;
  }
  return true;
}

/** Whether a step should follow on {@link take}. */
export const isShort = (state: LeaseState): boolean => state.isLow && !isAsking(state);

/** The tokens of a unit that are available to this process; below 0 for a debt. */
export function tokensOf(state: LeaseState, at: number, nowMs: number): number {
  const { outage, units } = state;
  const unit = units[at] as Unit;
  const left = leftOf(unit);
  if (outage?.mode === 'local')
    return left + gcra.tokensAt(localQuota(state, outage, at), (outage.local[at] as Local).emptyAtMs, nowMs);
  const cameIn = (nowMs - unit.emptyAtMs) * perMs(state, at);
  return Math.min(Math.ceil(limitOf(state, at).capacity * 1e6), cameIn + left);
}

/** How long until the tokens of a unit come, in milliseconds. */
export function unitWaitMs(state: LeaseState, at: number, amount: number, nowMs: number): number {
  if (amount === 0) return 0;
  const { outage, units } = state;
  const unit = units[at] as Unit;
  const leasedMs = comesInMs(unit.leases, amount, perMs(state, at), nowMs);
  if (leasedMs !== undefined) return leasedMs;
  const lacking = amount - leftOf(unit);
  if (outage !== undefined)
    return gcra.waitMs(localQuota(state, outage, at), (outage.local[at] as Local).emptyAtMs, lacking, nowMs);
  return unit.emptyAtMs + lacking / perMs(state, at) - nowMs;
}

/** When the first request in the queue can be served; `Infinity` if no one knows. */
export function dueAtMs(state: LeaseState, firstCost: Amounts, nowMs: number): number {
  const { outage, pausedAtMs } = state;
  if (nowMs < pausedAtMs) return pausedAtMs;
  const leasedMs = leasedInMs(state, firstCost, nowMs);
  if (leasedMs !== undefined) return nowMs + leasedMs;
  if (outage?.mode !== 'local') return NEVER;
  return (
    nowMs +
    Math.max(
      ...firstCost.map((amount, at) => (amount === 0 ? 0 : headWaitMs(state, outage, at, amount, nowMs))),
    )
  );
}
