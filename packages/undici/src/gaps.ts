import type { Dispatcher } from 'undici';

type Handler = Dispatcher.DispatchHandler;
type Method = keyof Handler;

const FOR_RESPONSE: readonly Method[] = ['onResponseStart', 'onResponseData', 'onResponseEnd'];
const FOR_UPGRADE: readonly Method[] = ['onRequestUpgrade'];
const FOR_UPLOAD: readonly Method[] = ['onBodySent', 'onRequestSent'];

/** What a handler has in place of methods that a request of its kind needs; nothing if it has them all. */
export function gapsOf(
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
