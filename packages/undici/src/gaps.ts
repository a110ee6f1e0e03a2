import type { Dispatcher } from 'undici';

type Handler = Dispatcher.DispatchHandler;
type Method = keyof Handler;

const FOR_RESPONSE: readonly Method[] = ['onResponseStart', 'onResponseData', 'onResponseEnd'];
const FOR_UPGRADE: readonly Method[] = ['onRequestUpgrade'];
const FOR_UPLOAD: readonly Method[] = ['onBodySent', 'onRequestSent'];

/** The methods that a request needs and its handler lacks, with what the handler has instead; `undefined` if none. */
function gapsOf(
  handler: Handler,
  options: Dispatcher.DispatchOptions,
): Readonly<Record<string, unknown>> | undefined {
  const needed = options.upgrade || options.method === 'CONNECT' ? FOR_UPGRADE : FOR_RESPONSE;
  let gaps: Record<string, unknown> | undefined;
  for (const name of needed) {
    if (typeof handler[name] !== 'function') gaps = { ...gaps, [name]: handler[name] };
  }
  for (const name of FOR_UPLOAD) {
    const method = handler[name];
    if (method !== undefined && typeof method !== 'function') gaps = { ...gaps, [name]: method };
  }
  return gaps;
}

/**
 * Hides the methods of `attempt` that `handler` lacks. undici 8 checks a handler when it takes a request, and so
 * reports the same error as without ebb; undici 7 does not check.
 *
 * @returns restores the attempt's own methods, before the request starts; `undefined` if nothing is lacking
 */
export function mirrorGaps(
  handler: Handler,
  options: Dispatcher.DispatchOptions,
  attempt: Handler,
): (() => void) | undefined {
  const gaps = gapsOf(handler, options);
  if (gaps === undefined) return undefined;
  // Own properties, which hide the methods of the class until they are deleted.
  const shadowed = Object.assign(attempt, gaps) as Record<string, unknown>;
  return () => {
    for (const name of Object.keys(gaps)) delete shadowed[name];
  };
}
