// Libraries whose functions have one of the same shape in @ebb/compat: a call gets another name, and its uses stay.
import {
  argumentsOf,
  findAll,
  type Node,
  PLACEHOLDER,
  type Source,
  Stuck,
  textToCompare,
} from '../file/source.ts';
import { CallSites, calledBy, type Kind } from './call-site.ts';

/** The function of @ebb/compat for a library, to which its calls go. */
export interface Counterpart {
  readonly kind: Kind;
  /** The argument with the options. */
  readonly optionsAt: number;
  /** A function of ebb that the counterpart takes as well. */
  readonly makes?: string;
  /** @throws Stuck for a call that stays */
  readonly check?: (sites: CallSites, call: Node) => void;
}

const P_THROTTLE: Counterpart = {
  kind: {
    library: 'p-throttle',
    like: 'likePThrottle',
    options: { limit: {}, interval: {}, strict: { only: /^false$/ }, signal: {}, onDelay: {}, weight: {} },
    types: { Options: '@LikePThrottleOptions', ThrottledFunction: '@LikePThrottleFunction<>' },
  },
  optionsAt: 0,
};

/** The methods that a limited client has besides those of axios. */
const METHODS = /^(getMaxRPS|setMaxRPS|setRateLimitOptions|getQueue)$/;

const AXIOS_RATE_LIMIT: Counterpart = {
  kind: {
    library: 'axios-rate-limit',
    like: 'likeAxiosRateLimit',
    options: { maxRequests: {}, perMilliseconds: {}, duration: {}, maxRPS: {} },
    types: { RateLimitedAxiosInstance: '@AxiosInstance', rateLimitOptions: '@LikeAxiosRateLimitOptions' },
  },
  optionsAt: 1,
  makes: 'ebbInterceptor',
  check({ source }, call) {
    const [client, options] = argumentsOf(call);
    if (client === undefined || options === undefined) throw new Stuck('it has no options');
    const method = findAll(source.root, 'property_identifier').find((one) => METHODS.test(one.text()));
    if (method !== undefined)
      throw new Stuck(`\`${method.text()}\` is \`setRate\` or \`stats\` of a bucket, which needs a name`);
    if (source.text.includes(`${textToCompare(client)}.interceptors.request.use(ebbInterceptor(`))
      throw new Stuck('give the bucket to the policy that retries');
  },
};

/** Gives all calls of a library the name of their counterpart. */
export function renameCalls(source: Source, { kind, optionsAt, makes, check }: Counterpart): void {
  const sites = new CallSites(source, kind);
  sites.edit((call) => {
    const options = argumentsOf(call)[optionsAt];
    check?.(sites, call);
    if (options !== undefined) sites.check(options);
    const called = calledBy(call) as Node;
    const isWithoutList = call.field('arguments') === null;
    const name = PLACEHOLDER + kind.like + (isWithoutList ? '()' : '');
    source.replaceRange(call.range().start.index, called.range().end.index, name);
    if (makes !== undefined && options !== undefined)
      source.insert(options.range().end.index, `, ${PLACEHOLDER}${makes}`);
  });
}

export const pThrottle = (source: Source): void => renameCalls(source, P_THROTTLE);
export const axiosRateLimit = (source: Source): void => renameCalls(source, AXIOS_RATE_LIMIT);
