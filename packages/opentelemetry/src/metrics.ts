import type { EbbEvent } from '@ebb/core';
import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';
import { hedgeResult } from './hedge-result.ts';
import { type Outcome, outcomeAttributes } from './http-attributes.ts';

/** In seconds. Waits go from milliseconds in a queue to the ten minutes that a `Retry-After` may ask for. */
const WAIT_BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** The state of a request that has not ended. */
interface PendingRequest {
  /** True while an attempt is in flight. */
  open: boolean;
  /** The retry that has not been sent yet. */
  planned: Extract<EbbEvent, { type: 'retry' }> | undefined;
}

/** Counts what happens to requests. */
export class RequestMetrics {
  readonly #requests: Counter;
  readonly #attempts: Counter;
  readonly #retries: Counter;
  readonly #marks: Counter;
  readonly #skips: Counter;
  readonly #hedges: Counter;
  readonly #resumes: Counter;
  readonly #backoff: Histogram;
  readonly #wait: Histogram;
  /** Requests that never end are collected with their request. */
  readonly #pending = new WeakMap<object, PendingRequest>();

  constructor(meter: Meter) {
    const wait = { unit: 's', advice: { explicitBucketBoundaries: WAIT_BOUNDARIES } };
    this.#requests = meter.createCounter('ebb.client.requests', {
      unit: '{request}',
      description: 'Requests that have ended.',
    });
    this.#attempts = meter.createCounter('ebb.client.attempts', {
      unit: '{attempt}',
      description: 'Attempts whose outcome is known.',
    });
    this.#retries = meter.createCounter('ebb.client.retries', {
      unit: '{retry}',
      description: 'Retries that were sent.',
    });
    this.#marks = meter.createCounter('ebb.client.marks', {
      unit: '{attempt}',
      description: 'Attempts that were sent although the bucket had no tokens for them.',
    });
    this.#skips = meter.createCounter('ebb.client.skips', {
      unit: '{attempt}',
      description: 'Scheduled attempts that a throttle has skipped: nothing was sent.',
    });
    this.#hedges = meter.createCounter('ebb.client.hedges', {
      unit: '{hedge}',
      description: 'Hedges that were due.',
    });
    this.#resumes = meter.createCounter('ebb.client.resumes', {
      unit: '{resume}',
      description: 'Bodies that broke and could be resumed, by what came of it.',
    });
    this.#backoff = meter.createHistogram('ebb.client.backoff.duration', {
      ...wait,
      description: 'The delay before a retry that was sent.',
    });
    this.#wait = meter.createHistogram('ebb.client.wait.duration', {
      ...wait,
      description: 'The wait of an attempt for its tokens, or for its slot.',
    });
  }

  /** @param attributes those of the request */
  count(event: EbbEvent, attributes: Attributes): void {
    const pending = this.#pendingOf(event.request);
    switch (event.type) {
      case 'wait':
        this.#recordWait(event, attributes);
        break;
      case 'mark':
        this.#marks.add(1, attributes);
        break;
      case 'attempt-skipped':
        this.#skips.add(1, attributes);
        break;
      case 'hedge':
        this.#hedges.add(1, { ...attributes, 'ebb.hedge.result': hedgeResult(event) });
        break;
      case 'resume-end':
        this.#resumes.add(1, { ...attributes, 'ebb.resume.result': event.result });
        break;
      case 'attempt':
        pending.open = true;
        this.#countRetry(pending, attributes);
        break;
      case 'retry':
        this.#countAttempt(pending, event.outcome, attributes);
        pending.planned = event;
        break;
      case 'end':
        this.#pending.delete(event.request);
        if (event.outcome !== undefined) this.#countAttempt(pending, event.outcome, attributes);
        this.#requests.add(1, { ...attributes, 'ebb.stop.reason': event.reason });
    }
  }

  #recordWait({ waitedMs, slotMs }: Extract<EbbEvent, { type: 'wait' }>, attributes: Attributes): void {
    const waits = { slot: slotMs, tokens: waitedMs - slotMs };
    for (const [what, ms] of Object.entries(waits)) {
      if (ms > 0) this.#wait.record(ms / 1000, { ...attributes, 'ebb.wait.for': what });
    }
  }

  #pendingOf(request: object): PendingRequest {
    let pending = this.#pending.get(request);
    if (pending === undefined) {
      pending = { open: false, planned: undefined };
      this.#pending.set(request, pending);
    }
    return pending;
  }

  /** A retry counts when it is sent: a limit may still refuse one that was planned. */
  #countRetry(pending: PendingRequest, attributes: Attributes): void {
    const { planned } = pending;
    if (planned === undefined) return;
    pending.planned = undefined;
    const reasoned = { ...attributes, 'ebb.retry.reason': planned.reason };
    this.#retries.add(1, reasoned);
    this.#backoff.record(planned.delayMs / 1000, reasoned);
  }

  /** The outcome of an attempt is reported twice if its retry was refused. */
  #countAttempt(pending: PendingRequest, outcome: Outcome, of: Attributes): void {
    if (!pending.open) return;
    pending.open = false;
    this.#attempts.add(1, { ...of, ...outcomeAttributes(outcome) });
  }
}
