import {
  type ConcurrencyLimit,
  concurrencyLimit,
  constant,
  createPolicy,
  type EbbEvent,
  type PolicyOptions,
} from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { resumable } from '@ebb/resume/undici';
import type { Dispatcher } from 'undici';
import { beforeEach } from 'vitest';
import { turns } from '../../../test/until.ts';
import { ebbInterceptor } from '../src/index.ts';
import { HandlerSpy, Wire } from './wire.ts';

export const get = { origin: 'http://upstream.test', path: '/', method: 'GET' } as const;

/** A connection reset. */
export const reset = (): Error => Object.assign(new Error('reset'), { code: 'ECONNRESET' });

/** A connection that is refused. */
export const refused = (): Error => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

export interface Setting {
  readonly wire: Wire;
  readonly spy: HandlerSpy;
  readonly clock: VirtualClock;
  readonly events: EbbEvent[];
  readonly dispatch: Dispatcher.Dispatch;
}

/** The clock of {@link setUp}, for the limits of a test. In a thread that runs several files the hook belongs to the first of them. */
export let time: VirtualClock = virtualClock({ startMs: 0 });
beforeEach(() => {
  time = virtualClock({ startMs: 0 });
});

/** A limit of one slot. */
export function oneSlot(): ConcurrencyLimit {
  return concurrencyLimit({ maxConcurrent: 1, clock: time });
}

/** ebb's interceptor with `resumable` above it, which asks for the rest as often as there may be retries. */
export function resumingInterceptor(
  policyOrOptions: PolicyOptions = {},
): Dispatcher.DispatcherComposeInterceptor {
  const policy = createPolicy(policyOrOptions);
  const above = resumable({ policy, maxResumes: policy.maxRetries });
  const below = ebbInterceptor(policy);
  return (dispatch) => above(below(dispatch));
}

/** A composed dispatch over a wire, with a backoff of 100 ms on a virtual clock. */
export function setUp(options: PolicyOptions = {}, interceptor = ebbInterceptor): Setting {
  const wire = new Wire();
  const clock = time;
  const events: EbbEvent[] = [];
  const onEvent = (event: EbbEvent): void => void events.push(event);
  const policy = createPolicy({
    ...{ backoff: constant(100), random: () => 0, trustedOrigins: () => true },
    ...{ clock, onEvent, ...options },
  });
  return { wire, clock, events, spy: new HandlerSpy(), dispatch: interceptor(policy)(wire.dispatch) };
}

/** As {@link setUp}, with a request that was dispatched. */
export function begin(
  options: PolicyOptions = {},
  request: object = {},
  spy: HandlerSpy = new HandlerSpy(),
): Setting {
  const setting = setUp(options);
  setting.dispatch({ ...get, ...request }, spy);
  return { ...setting, spy };
}

/** Enough turns of the event loop for all that needs no time. */
export const settle = (): Promise<void> => turns(8);

/** Lets the backoff pass, so that the next attempt is dispatched. */
export async function passBackoff(clock: VirtualClock, durationMs = 100): Promise<void> {
  await clock.advance(durationMs);
  await settle();
}
