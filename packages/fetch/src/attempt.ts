// How an attempt is ended early, and what it ends with.
import {
  type Aside,
  type Call,
  cancelBody,
  discardMsOf,
  isError,
  keptStream,
  namedTimeoutOf,
  nextTurn,
  onAbort,
  property,
  responseHeader,
  setAside as setBodyAside,
  timeoutError,
} from '@ebb/core/adapter';

/** The state of an attempt that can be ended early. */
export interface AttemptState {
  /** Replaces the caller's signal for the base fetch; `undefined` if that stays. */
  readonly signal: AbortSignal | undefined;
  /** True if the attempt ran into its timeout. */
  readonly timedOut: boolean;
  /** Ends {@link signal} with a timeout, also while the body is read; `undefined` for an attempt without one. */
  readonly timeout: AbortController | undefined;
}

/**
 * Starts an attempt, and settles as it does. If a timeout or an abort ends it, rejects with the reason one turn of the
 * event loop later, even if the attempt ignores its signal.
 *
 * @param start starts the attempt; its argument is updated while the attempt is under way
 * @param signal the caller's signal
 * @param call its clock measures the timeout
 * @param timeoutMs time for the response headers, in milliseconds; `undefined` for no timeout
 */
export function boundAttempt(
  start: (state: AttemptState) => Promise<Response>,
  signal: AbortSignal | undefined,
  call: Call,
  timeoutMs: number | undefined,
): Promise<Response> {
  const timeout = timeoutMs === undefined ? undefined : new AbortController();
  // `AbortSignal.any` follows the caller's signal while the body is read as well.
  const combined =
    timeout && (signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]));
  const state = { signal: combined, timedOut: false, timeout };
  let isGone = false;
  const end = (): void => {
    unwatch?.();
    cancelTimer?.();
  };
  let endEarly: (reason: unknown) => void;
  const early = new Promise<never>((_, reject) => {
    endEarly = reject;
  });
  // The base fetch gets one turn to reject with an error of its own.
  const giveUp = (by: AbortSignal): void =>
    void nextTurn().then(() => {
      isGone = true;
      end();
      endEarly(by.reason);
    });
  const unwatch = signal?.aborted === false ? onAbort(signal, () => giveUp(signal)) : undefined;
  const cancelTimer =
    timeout &&
    call.policy.clock.schedule(() => {
      state.timedOut = true;
      timeout.abort(timeoutError(namedTimeoutOf(call)));
      giveUp(timeout.signal);
    }, timeoutMs as number);
  // Starts at once; an async function, so that an exception becomes a rejection.
  const started = (async () => start(state))();
  const settled = started.then(
    (result) => {
      end();
      // From a base fetch that ignores its signal.
      if (isGone) cancelBody(property(result, 'body'));
      return result;
    },
    (error: unknown) => {
      end();
      throw error;
    },
  );
  // Not a promise that these settle: the stack of an error would end here, and not name the caller.
  return Promise.race([settled, early]);
}

/** The outcome of an attempt with a response; headers and URL are read lazily. */
export class ResponseOutcome {
  readonly type = 'response';
  readonly status: number;
  readonly #response: Response;

  constructor(response: Response) {
    // A mock may lack a status, or may not even be an object.
    this.status = response?.status ?? 0;
    this.#response = response;
  }

  header(name: string): string | undefined {
    return responseHeader(this.#response?.headers, name);
  }

  get redirected(): boolean {
    return this.#response?.redirected === true;
  }

  /** The target of a redirect. */
  get url(): string | undefined {
    return this.redirected ? this.#response.url : undefined;
  }
}

const SHOWN = ['url', 'redirected', 'type', 'headers', 'status', 'statusText', 'ok'] as const;
type ShownResponse = Pick<Response, (typeof SHOWN)[number]>;

/** Has what no constructor gives a response, and its clones. The headers of a fetch cannot be changed. */
function shownAs(shown: ShownResponse, made: Response): Response {
  const own = Object.fromEntries(SHOWN.map((name) => [name, shown[name]])) as unknown as ShownResponse;
  const clone = (): Response => shownAs(own, Object.getPrototypeOf(made).clone.call(made));
  for (const [name, value] of Object.entries({ ...own, clone }))
    Object.defineProperty(made, name, { value, configurable: true });
  return made;
}

/** The same response with another body; the response itself if it is a mock that cannot be made again. */
export function withBody(response: Response, body: unknown): Response {
  try {
    return shownAs(response, remade(response, body as BodyInit));
  } catch {
    return response;
  }
}

function remade(response: Response, body: BodyInit): Response {
  // A response of another fetch has its own class.
  const Own = response.constructor as typeof Response;
  try {
    return new Own(body, response);
  } catch {
    // No constructor takes a reason phrase that is not ASCII, or a status such as 999.
    return new Own(body, { headers: response.headers });
  }
}

/** Reads a response that is followed by a retry to its end, within bounds, and keeps its body. An error has none. */
export function setAside(settled: unknown, call: Call, signal?: AbortSignal): Aside | undefined {
  if (isError(settled)) return undefined;
  const response = settled as Response;
  const body: unknown = property(response, 'body');
  const aside = setBodyAside(body, {
    clock: call.policy.clock,
    longestMs: discardMsOf(call),
    contentLength: Number(responseHeader(property(response, 'headers'), 'content-length')),
    signal,
  });
  return aside && { released: aside.released, restore: () => withBody(response, keptStream(body, aside)) };
}
