import { property } from '@ebb/core/adapter';
import { nodeProcess } from './node.ts';

/** A connection that could not be made, as undici reports it on its diagnostics channel. */
interface Unconnected {
  readonly connectParams?: { readonly protocol?: string; readonly host?: string };
  readonly error?: unknown;
}

/** The origin that could not be connected to, by the error of the connection. */
const origins = new WeakMap<object, string>();
let isSubscribed = false;

/** From now on, keeps the origins of failed connections of Node's fetch. Costs nothing while none fails. */
export function noteConnectErrors(): void {
  if (isSubscribed) return;
  isSubscribed = true;
  if (nodeProcess?.versions?.undici === undefined) return;
  const channels = nodeProcess.getBuiltinModule?.('node:diagnostics_channel');
  channels?.subscribe('undici:client:connectError', (message) => {
    const { connectParams, error } = message as Unconnected;
    const origin = URL.parse(`${connectParams?.protocol}//${connectParams?.host}`)?.origin;
    if (typeof error === 'object' && error !== null && origin !== undefined) origins.set(error, origin);
  });
}

/**
 * Whether fetch failed because it could not connect to the origin of this URL. Then nothing of the attempt was sent,
 * because after a redirect from there the connection exists. Not so with a server that redirects to itself, closes the
 * connection and refuses the next one: then a token comes back that it has counted.
 */
export function isUnconnected(error: unknown, url: string): boolean {
  const cause = property(error, 'cause');
  const origin = typeof cause === 'object' && cause !== null ? origins.get(cause) : undefined;
  return origin !== undefined && origin === URL.parse(url)?.origin;
}
