import {
  AxiosRequest,
  adapterOf,
  type CallerSignal,
  type Config,
  callerSignal,
  copyWith,
  discard,
  type Route,
  whenRead,
} from '@ebb/axios/internal';
import { LAYER, LONGEST_DISCARD_MS, property } from '@ebb/core/adapter';
import type { AxiosAdapter, AxiosRequestConfig, AxiosResponse } from 'axios';
import { HEDGES, type HedgeOptions, HedgePlan } from './hedge-plan.ts';
import { PromiseRace, type Try } from './promises.ts';
import type { Hedge } from './race.ts';

/** A config of which a fetch of ebb's, or another instance, sees that it is hedged. */
type MarkedConfig = Config & { fetchOptions?: { [HEDGES]?: boolean; [LAYER]?: unknown } };

/** The config of one try: adapters write into its headers. It gets its signal when it is sent. */
function copyOf(config: MarkedConfig, more?: Partial<Config>): Config {
  const { fetchOptions, headers } = config;
  return Object.assign(Object.create(Object.getPrototypeOf(config)), config, {
    headers: copyWith(headers, headers),
    fetchOptions: { ...fetchOptions, [HEDGES]: true },
    ...more,
  });
}

/** A call of a hedged adapter. */
class AxiosRace extends PromiseRace<AxiosResponse> {
  declare readonly request: AxiosRequest;
  readonly #route: Route;
  readonly #config: Config;
  readonly #caller: CallerSignal | undefined;

  /** @throws HookError if `keyOf` fails */
  constructor(plan: HedgePlan, route: Route, config: MarkedConfig, request: AxiosRequest) {
    const caller = callerSignal(config);
    super(plan, request, caller?.signal, config.fetchOptions?.[LAYER]);
    this.#route = route;
    this.#config = config;
    this.#caller = caller;
  }

  protected send(): Promise<AxiosResponse> {
    return this.#route.adapter(this.#signed(this));
  }

  protected another(
    url: string | undefined,
  ): [AxiosRequest, (one: Try<AxiosResponse>) => Promise<AxiosResponse>] {
    const away = url === undefined ? {} : { url, baseURL: undefined, params: undefined };
    const request = new AxiosRequest(this.#route, copyOf(this.#config, away as Partial<Config>));
    const send = (one: Try<AxiosResponse>): Promise<AxiosResponse> => {
      const { call } = one.hedge as Hedge;
      request.begin(call, { signal: this.#signed(one).signal as AbortSignal });
      return request.send(call);
    };
    return [request, send];
  }

  #signed(one: Try<AxiosResponse>): Config {
    const { config } = one.request as AxiosRequest;
    config.signal = this.signalOf(one);
    return config;
  }

  protected statusOf({ value }: Try<AxiosResponse>): number {
    return ((property(value, 'response') ?? value) as Partial<AxiosResponse>)?.status ?? 500;
  }

  protected discard({ value }: Try<AxiosResponse>): void {
    discard(value, this.plan.setup.policy.clock, LONGEST_DISCARD_MS, AbortSignal.abort());
  }

  /** axios has made its CanceledError. */
  protected override abortError(failed: Try<AxiosResponse> | undefined): unknown {
    this.#restore(failed);
    return failed?.value ?? super.abortError(failed);
  }

  protected override resultOf(one: Try<AxiosResponse>): AxiosResponse {
    this.#restore(one);
    return super.resultOf(one);
  }

  /** The caller finds its own config in what it gets, with the headers that were sent. */
  #restore(one: Try<AxiosResponse> | undefined): void {
    const { signal, release } = this.#caller ?? {};
    const { config } = (one?.request ?? this.request) as AxiosRequest;
    // Until the caller has read the body, only this race passes the abort of the caller on.
    const response = one?.answered ? (one.value as AxiosResponse) : undefined;
    if (release) whenRead(response, this.plan.setup.policy.clock, release);
    for (const shown of [one?.value, property(one?.value, 'response')]) {
      if (property(shown, 'config') === config) (shown as AxiosResponse).config = this.#config;
    }
    // After an abort the caller may have sent it again.
    if (!signal?.aborted) this.#config.headers = config.headers;
  }
}

/** True if a request can be sent again, and aborted by a signal of ours. */
function isRepeatable(config: Config, plan: HedgePlan): boolean {
  const { method = 'GET', data, signal, onUploadProgress, onDownloadProgress } = config;
  // The callbacks would get the progress of two tries.
  if (onUploadProgress || onDownloadProgress || typeof data === 'function') return false;
  // Only the adapter can use the signal of a polyfill.
  if (signal && (signal.aborted || !(signal instanceof AbortSignal))) return false;
  return plan.hedges(method.toUpperCase());
}

/**
 * An adapter that sends a request a second time if the request takes longer than most, and settles with the first response. Use the adapter
 * below ebb's interceptor with the same policy. A hedge never waits: it is sent only if it has a token of its own, a retry of the budget,
 * tokens of the bucket and a free slot. The tries that lose are aborted.
 *
 * axios settles once it has read the whole body, unless `responseType` is `'stream'`, so the delay is learned from whole responses.
 *
 * If all tries fail, the adapter settles as the first try did, and the interceptor decides on a retry.
 *
 * @param adapter sends each try: an adapter as in the config of a request; by default the adapter of axios
 * @throws TypeError, RangeError if an option is wrong, or `adapter` hedges already
 * @example
 * ```ts
 * import { ebbInterceptor } from '@ebb/axios';
 * import { hedged } from '@ebb/hedge/axios';
 * import { createPolicy, retryBudget } from '@ebb/core';
 * import axios from 'axios';
 *
 * const policy = createPolicy({ budget: retryBudget() });
 * const client = axios.create({ adapter: hedged({ policy }) });
 * client.interceptors.request.use(ebbInterceptor(policy));
 *
 * const { data } = await client.get('https://api.example.com/');
 * ```
 */
export function hedged(options: HedgeOptions, adapter?: AxiosRequestConfig['adapter']): AxiosAdapter {
  const plan = new HedgePlan('hedged', options);
  for (const one of [adapter].flat())
    if (typeof one === 'function') plan.mustNotHedge('hedged: adapter', one);
  const { policy } = plan.setup;

  async function hedgedAdapter(config: MarkedConfig): Promise<AxiosResponse> {
    // A client of ebb between two that hedge does not show what is below.
    if (config.fetchOptions?.[HEDGES]) plan.mustNotHedge('hedged: adapter', hedgedAdapter);
    const route: Route = { ...adapterOf(undefined, adapter, config), policy, given: undefined };
    if (!isRepeatable(config, plan)) return route.adapter(config);
    const request = new AxiosRequest(route, copyOf(config));
    if (!request.replayable) return route.adapter(config);
    return new AxiosRace(plan, route, config, request).start();
  }

  return plan.mark(hedgedAdapter);
}
