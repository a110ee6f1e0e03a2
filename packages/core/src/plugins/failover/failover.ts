import { devText } from '#dev-text';
import { countingNumber, positive, share } from '../../base/check.ts';
import { must, type OptionTable, readOptions } from '../../base/options.ts';
import type { Call } from '../../call/call.ts';
import type { MiddlewareRun } from '../../call/middleware.ts';
import type { Transport } from '../../call/transport.ts';
import { reportedRequest } from '../../events/report-fields.ts';
import { type Outcome, originOf, type ReadFeedback, type RequestTraits } from '../../http/outcome.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { BroughtLimit, Limit, Permit } from '../../policy/limit.ts';
import { POLICY, type Policy } from '../../policy/options.ts';
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

/** `undefined` for an outcome that does not concern the origin, such as a response of another one after a redirect. */
function hasFailed(outcome: Outcome, request: RequestTraits): boolean | undefined {
  if (outcome.type === 'failure') return /aborted|unknown/.test(outcome.kind) ? undefined : true;
  const { status, url = request.url } = outcome;
  return originOf({ url }) === originOf(request) ? status >= 500 : undefined;
}

/** The way of a call from origin to origin. */
function routeOf<T>(
  call: Call,
  [request, moveTo]: MovableRequest<T>,
  names: readonly string[],
  origins: Origins,
): Limit {
  const { clock, feedback } = call.policy;
  const { url } = request;
  const own = names.indexOf(originOf(request));
  let [at, current, isTaken] = [own, url, false];
  /** `undefined` once it is known how the attempt has ended. It may be a probe, without which the origin would stay out. */
  let endAttempt: EndAttempt | undefined;
  const next = (from: number): number => origins.next(from % names.length, clock.now());
  const end = (failed?: boolean): void => {
    endAttempt?.(failed, clock.now());
    endAttempt = undefined;
  };
  const move = (to: number): void => {
    end();
    at = to;
    current = to === own ? url : atOrigin(url, names[to] as string);
    moveTo(to === own ? undefined : current);
    // Observers know a request by this object.
    if (call.reported) Object.assign(call.reported, reportedRequest(request));
  };
  const go = (from: number): void => {
    move(next(from));
    endAttempt = origins.begin(at, clock.now());
    isTaken = false;
  };
  if (feedback) {
    // The wait that an origin asks for does not hold for another. Above 0: some statuses are retried for a wait alone.
    const read: ReadFeedback = (...args) => {
      const said = feedback(...args);
      return said && next(at + 1) !== at
        ? { ...said, waitMs: Math.min(1, said.waitMs ?? said.pauseMs) }
        : said;
    };
    const known: { policy: Policy } = call;
    known.policy = Object.create(call.policy, { feedback: { value: read } }) as Policy;
  }
  // In place of the getter of its class: hooks, limits and events see where the attempt goes.
  Object.defineProperty(request, 'url', { get: () => current });
  go(own);
  const permit: Permit = {
    cancel() {
      isTaken = false;
    },
    settle: (outcome) => end(hasFailed(outcome, request)),
  };
  return {
    name: 'failover',
    take() {
      isTaken = true;
      // Sent again at once: no retry was planned.
      endAttempt ??= origins.begin(at, clock.now());
      return permit;
    },
    planRetry() {
      const before = at;
      go(at + 1);
      return { cancel: () => isTaken || move(before) };
    },
    ended(_, reason) {
      // The total timeout ends an attempt without an outcome.
      end((isTaken && reason === 'deadline-exceeded') || undefined);
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
  const routes = new WeakMap<CallView, Limit>();
  function failover(asked: MiddlewareRun<T>, next: () => Promise<T>): Promise<T> {
    const { call, client } = asked;
    if (!names.includes(originOf(call.request))) return next();
    if (call.policy[POLICY].middleware.some((one) => 'isInnermost' in one))
      throw new TypeError('failover: not beside deduplicate, which sends requests itself');
    const made = movable(client);
    const [request] = made;
    Object.assign(asked, { client: request });
    Object.assign(call, { request, moves: true });
    const route = routeOf(call, made, names, origins);
    routes.set(call, route);
    const sent = next();
    // Limits do not hear of the end of a call that has not begun: after other middleware, or a limit before this one.
    const over = (): void => route.ended?.(call, 'limited');
    sent.then(over, over);
    return sent;
  }
  const forCall = (call: CallView): BroughtLimit<Limit> => ({ limit: routes.get(call) ?? STAYS });
  const plugin: Plugin = {
    name: 'failover',
    limits: [{ limit: { limit: { name: 'failover', forCall } } }],
    middleware: [failover as never],
  };
  // Not enumerable: a plugin has no field of this name.
  const get = (): readonly string[] => names.filter((_, at) => origins.isOut(at));
  return Object.defineProperty(plugin, 'ejected', { get }) as Failover;
}
