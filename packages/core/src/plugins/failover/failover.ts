import { devText } from '#dev-text';
import { countingNumber, positive, share } from '../../base/check.ts';
import { must, type OptionTable, readOptions } from '../../base/options.ts';
import type { Call } from '../../call/call.ts';
import type { MiddlewareRun } from '../../call/middleware.ts';
import type { Transport } from '../../call/transport.ts';
import { reportedRequest } from '../../events/report-fields.ts';
import { type Outcome, originOf, type ReadFeedback, type RequestTraits } from '../../http/outcome.ts';
import { serverFeedback } from '../../http/server-feedback.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { BroughtLimit, Limit, Permit } from '../../policy/limit.ts';
import { POLICY } from '../../policy/options.ts';
import type { Plugin } from '../../policy/plugin.ts';
import { checkTrusted } from '../../policy/trust.ts';
import { type EjectionOptions, type EndAttempt, Origins } from './origins.ts';

/** Options of `failover`. */
export interface FailoverOptions extends EjectionOptions {
  /** The origins that serve the same requests, such as `https://eu.example.com`. All of them get the credentials of a request. */
  readonly origins: readonly string[];
}

const OPTIONS: OptionTable<FailoverOptions> = {
  origins: {
    check(name, value) {
      must(name, devText('a list of origins'), value, Array.isArray(value), Object(value).length > 0);
      checkTrusted(name, value);
    },
    required: true,
  },
  consecutiveFailures: { check: countingNumber, default: 5 },
  baseEjectionMs: { check: positive, default: 30_000 },
  maxEjectionMs: { check: positive, default: 300_000 },
  maxEjectedShare: { check: share, default: 1 },
};

/** A plugin of `failover`. */
export interface Failover extends Plugin {
  /** The origins that are left out now. */
  readonly ejected: readonly string[];
}

/** A request, and the function that sets the URL of its next attempts: `undefined` for that of the caller. */
export type MovableRequest<T> = readonly [
  request: RequestTraits & Transport<T>,
  moveTo: (url: string | undefined) => void,
];

function atOrigin(url: string, origin: string): string {
  const { protocol, host } = new URL(origin);
  // A host without a port leaves the port as it is.
  return Object.assign(new URL(url), { port: '', protocol, host }).href;
}

/** `undefined` for a failure that does not concern the origin. */
function hasFailed(outcome: Outcome): boolean | undefined {
  if (outcome.type === 'response') return outcome.status >= 500;
  return /aborted|unknown/.test(outcome.kind) ? undefined : true;
}

/** The way of a call from origin to origin. */
interface Route extends Limit {
  /** True while its attempts go to another origin than that of the caller. */
  readonly isAway: boolean;
  ended(): void;
}

function routeOf(
  call: Call,
  moveTo: (url: string | undefined) => void,
  names: readonly string[],
  origins: Origins,
): Route {
  const { policy, request } = call;
  const { clock, feedback } = policy;
  const { url } = request;
  const own = names.indexOf(originOf(request));
  let at = own;
  /** `undefined` once it is known how the attempt has ended. It may be a probe, without which the origin would stay out. */
  let endAttempt: EndAttempt | undefined;
  const end = (failed?: boolean): void => {
    endAttempt?.(failed, clock.now());
    endAttempt = undefined;
  };
  const move = (to: number): void => {
    end();
    at = to;
    moveTo(to === own ? undefined : atOrigin(url, names[to] as string));
    // Observers know a request by this object.
    if (call.reported) Object.assign(call.reported, reportedRequest(request));
  };
  const go = (from: number): void => {
    move(origins.next(from, clock.now()));
    endAttempt = origins.begin(at, clock.now());
  };
  if (feedback) {
    const read: ReadFeedback = (...args) => {
      const said = feedback(...args);
      const to = origins.next(at + 1, clock.now());
      // The wait that an origin asks for does not hold for another. Above 0: some statuses are retried for a wait alone.
      const otherMs = Math.max(1, origins.pausedMs(to, clock.now()));
      return said && to !== at ? { ...said, waitMs: Math.min(otherMs, said.waitMs ?? said.pauseMs) } : said;
    };
    call.policy = { ...policy, [POLICY]: policy[POLICY], feedback: read };
  }
  go(own);
  const permit: Permit = {
    cancel: () => undefined,
    settle(outcome) {
      // After a redirect a response is that of another origin, and concerns it alone.
      const answeredBy = outcome.type === 'response' && outcome.url ? { url: outcome.url } : request;
      const origin = originOf(answeredBy);
      const by = names.indexOf(origin);
      const nowMs = clock.now();
      const said = feedback && by >= 0 ? serverFeedback(outcome, nowMs, call.grant?.cost) : undefined;
      if (said) origins.pause(by, said.pauseMs, nowMs);
      end(origin === originOf(request) ? hasFailed(outcome) : undefined);
    },
  };
  return {
    name: 'failover',
    get isAway() {
      return at !== own;
    },
    take() {
      // Sent again at once: no retry was planned.
      endAttempt ??= origins.begin(at, clock.now());
      return permit;
    },
    planRetry() {
      const before = at;
      go(at + 1);
      return { cancel: () => move(before) };
    },
    ended() {
      end();
      moveTo(undefined);
    },
  };
}

const STAYS: Limit = { name: 'failover' };

/**
 * The plugin `failover` of a client.
 *
 * @param movable makes a request of the client movable. @throws TypeError for a request of another client
 * @throws TypeError, RangeError for a wrong option
 */
export function failoverWith<T>(
  movable: (client: Transport<T>) => MovableRequest<T>,
  options: FailoverOptions,
): Failover {
  const { origins: names, ...setup } = readOptions('failover', options, OPTIONS);
  const origins = new Origins(names.length, setup);
  const routes = new WeakMap<CallView, Route>();
  function failover(run: MiddlewareRun<T>, next: () => Promise<T>): Promise<T> {
    const { call } = run;
    if (!names.includes(originOf(call.request))) return next();
    if (call.policy[POLICY].middleware.some((one) => 'isInnermost' in one))
      throw new TypeError('failover: not beside deduplicate, which sends requests itself');
    const [request, moveTo] = movable(run.client);
    run.client = request;
    call.request = request;
    call.moves = true;
    const route = routeOf(call, moveTo, names, origins);
    routes.set(call, route);
    const sent = next();
    // Limits do not hear of the end of a call that has not begun: after other middleware, or a limit before this one.
    const over = (): void => route.ended();
    sent.then(over, over);
    return sent;
  }
  const forCall = (call: CallView): BroughtLimit<Limit> => ({ limit: routes.get(call) ?? STAYS });
  const plugin: Plugin = {
    name: 'failover',
    limits: [{ limit: { limit: { name: 'failover', forCall } } }],
    middleware: [failover as never],
    // The `Host` of a caller is that of its own origin.
    publicHeaders({ request }, call) {
      const isAway = routes.get(call)?.isAway && request.header('host') !== undefined;
      return isAway ? { host: undefined } : undefined;
    },
  };
  const state = {
    get ejected() {
      return names.filter((_, at) => origins.isOut(at));
    },
  };
  // Inherited: a plugin has no field of this name.
  return Object.assign(Object.create(state), plugin);
}
