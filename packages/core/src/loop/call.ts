import { withSlots } from '#layers';
import type { ReadFeedback } from '../http/feedback.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import { type LayersFound, NO_LAYERS, type Way } from '../layers/layer.ts';
import { LayerPlace } from '../layers/place.ts';
import { emit, type News } from '../news/emit.ts';
import type { ReportedRequest } from '../news/reported.ts';
import type { Grant } from './contracts.ts';
import { Deadline } from './deadline.ts';
import type { Attempt, HistoryRecord } from './history.ts';
import type { HeaderChanges, KeptKey, SentHeaders } from './hooks.ts';
import { insideOf, type Policy } from './options.ts';
import type { PartCall } from './part.ts';
import { ALONE, type Owner, type PartsOfCall } from './parts-of-call.ts';

/** One request on its way through its policy: what it is at. `run` drives it for a client of promises; others do so themselves. */
export class Call implements Owner {
  readonly policy: Policy;
  readonly request: RequestTraits;
  /** What its attempts are sent with. */
  readonly way: Way;
  readonly deadline: Deadline | undefined;
  /** The attempt in flight, from 1; 0 before the first. */
  attempt = 0;
  /** The delay before the next attempt, and the last one that the backoff rule has returned, in milliseconds. */
  delayMs = 0;
  previousBackoffMs: number | undefined;
  /** How long the attempt has waited for what its parts take, in milliseconds. */
  waitedMs = 0;
  /** Made before the first attempt; `undefined` for a policy without parts. */
  parts: PartsOfCall | undefined;
  /** The outcome that the planned retry follows. */
  toRetry: Outcome | undefined;
  /** The headers that the attempt changes; `undefined` for none. Known once it is sent. */
  headerChanges: SentHeaders | undefined;
  /** True once it has ended. */
  hasEnded = false;
  /** `undefined` unless another layer may be above or below. */
  place: LayerPlace | undefined;
  /** True if another layer around this one retries, and this one sends once. */
  readonly isInner: boolean;
  /** The attempts that were judged, and the chances that were skipped. It grows while the call goes on. */
  readonly history: Attempt[] = [];
  // Only requests with hooks, waits, timeouts or skipped chances need these: `declare` keeps them out of the others.
  declare key?: KeptKey | undefined;
  /** What hooks have returned for the next attempt. */
  declare pendingHeaders?: HeaderChanges | undefined;
  /** How long hooks and the body factory have taken for this attempt, and how long it has waited for its slot, in milliseconds. */
  declare hookMs?: number;
  declare slotMs?: number;
  /** How many chances were skipped, which count as retries, less the attempts that went again, which do not. */
  declare skipped?: number;
  /** The key (tenant) of the request, if it has one. */
  declare fairness?: { readonly fairKey: string };
  /** When the attempt runs into its timeout, or that of the call, if parts read its response. */
  declare endsAtMs?: number;
  /** The last response that a retry followed, if the total timeout may end a later attempt; true if it is the result. */
  declare answered?: Outcome;
  declare fallsBack?: boolean;
  declare reported?: ReportedRequest;
  /** The error of its upload, if that failed before it was sent. */
  declare uploadError?: unknown;

  /** @param around the layers around the request; by default none */
  constructor(policy: Policy, request: RequestTraits, around: LayersFound = NO_LAYERS, way: Way = 'client') {
    this.policy = policy;
    this.request = request;
    this.way = way;
    // Reading a clock takes as long as half of the rest.
    const { totalTimeoutMs, clock } = policy;
    this.deadline = totalTimeoutMs === undefined ? undefined : new Deadline(totalTimeoutMs, clock);
    this.isInner = around.outer !== undefined;
    if (around !== NO_LAYERS || way === 'function')
      this.place = new LayerPlace(way === 'function' ? undefined : request, around);
  }

  get givenFeedback(): ReadFeedback | false | undefined {
    return insideOf(this.policy).feedback;
  }

  get layers(): PartCall['layers'] {
    return this.place ?? ALONE;
  }

  /** The tokens of the attempt. */
  get grant(): Grant | undefined {
    return this.parts?.grant;
  }

  /** The limit whose slot the attempt holds, or a bucket that charges what it has taken at the end of its body. */
  get bodyHolder(): object | undefined {
    return this.parts?.bodyHolder;
  }

  /** What to note on the result. */
  get historyRecord(): HistoryRecord {
    const { grant, history } = this;
    return grant ? { attempts: history, grant } : history;
  }

  /** Tells all who want to know. */
  emit(news: News): void {
    emit(this, news);
  }
}

/** The timeout that an attempt runs into if it takes {@link timeoutOf}, for messages. */
export function namedTimeoutOf({ deadline, policy }: Call): number {
  const { attemptTimeoutMs = Infinity } = policy;
  return deadline?.bindsAttempt ? deadline.timeoutMs : attemptTimeoutMs;
}

/** What a call holds while its user code runs. */
interface Holding {
  readonly parts: Pick<PartCall, 'bodyHolder' | 'bucket'> | undefined;
  readonly layers: PartCall['layers'];
}

/**
 * Calls user code of a call. What it sends does not wait for slots, or for tokens that are charged at the end, which this call and
 * those around it hold; and layers around this one do not take it for their own.
 *
 * @param own what else the code holds
 */
export function asUserCode<T>({ parts, layers }: Holding, run: () => T, own?: object): T {
  const { bodyHolder, bucket } = parts ?? {};
  const isHeld = (one: object | undefined): one is object => one !== undefined;
  const held = [bodyHolder, bucket?.settled ? bucket : undefined, own].filter(isHeld);
  const { slotsHeld, isInner } = layers;
  return held.length > 0 || slotsHeld.length > 0 || isInner ? withSlots([...slotsHeld, ...held], run) : run();
}
