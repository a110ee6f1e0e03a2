import { isSubscribed, publish } from '#channels';
import { callObserver } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import type { RequestTraits } from '../http/outcome.ts';
import {
  DETAILS,
  type EbbEvent,
  type EventDetails,
  type EventFields,
  type Observer,
  type ReportedRequest,
} from './events.ts';
import { reportedError, reportedOutcome, reportedRequest } from './report-fields.ts';

/**
 * True if someone wants events of this type. Without that they are not built. In Node every event is also published on a channel
 * of `node:diagnostics_channel`, named by its type: `ebb:attempt`, `ebb:retry` and so on.
 */
export function isObserved(onEvent: Observer | undefined, type: EbbEvent['type']): boolean {
  return onEvent !== undefined || isSubscribed(type);
}

/** The part of a call that events report. */
export interface ReportedCall {
  readonly policy: { readonly onEvent?: Observer | undefined; readonly clock: Clock };
  readonly request: RequestTraits;
  readonly attempt: number;
  /** The request in events, the same object for all of them. */
  reported?: ReportedRequest;
}

/** The fields of an event that are not told in full. */
interface ReducedFields {
  outcome?: unknown;
  error?: unknown;
}

/** Tells all who want to know of a call. @param onEvent the observer of its policy and its plugins */
export function emit(
  call: ReportedCall,
  fields: EventFields,
  onEvent: Observer | undefined = call.policy.onEvent,
): void {
  const { policy, request, attempt } = call;
  const { clock } = policy;
  if (!isObserved(onEvent, fields.type)) return;
  call.reported ??= reportedRequest(request);
  const { outcome, error } = fields;
  const told: ReducedFields = { ...fields, request: call.reported, attempt, atMs: clock.now() } as object;
  if (outcome) told.outcome = reportedOutcome(outcome);
  if ('error' in fields) told.error = reportedError(error);
  const event = told as EbbEvent;
  const details: EventDetails = { request, outcome, error };
  // Not enumerable: copies, logs and JSON leave it out.
  Object.defineProperty(event, DETAILS, { value: details });
  if (onEvent) callObserver('onEvent', onEvent, event);
  publish(event.type, event);
}
