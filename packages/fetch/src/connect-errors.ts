import { property } from '@ebb/core';
import { nodeProcess } from './node.ts';

/** A connection that could not be made, as undici tells of it on its diagnostics channel. */
interface Unconnected {
  readonly connectParams?: { readonly protocol?: string; readonly host?: string };
  readonly error?: unknown;
}

/** Where a connection was to lead to, by the error that it failed with. */
const origins = new WeakMap<object, string>();
let isHeard = false;

/** Notes from now on where connections fail. It costs nothing while none does, and is for Node's fetch alone. */
export function noteConnectErrors(): void {
  if (isHeard) return;
  isHeard = true;
  if (nodeProcess?.versions?.undici === undefined) return;
  const channels = nodeProcess.getBuiltinModule?.('node:diagnostics_channel');
  channels?.subscribe('undici:client:connectError', (message) => {
    const { connectParams, error } = message as Unconnected;
    const origin = URL.parse(`${connectParams?.protocol}//${connectParams?.host}`)?.origin;
    if (typeof error === 'object' && error !== null && origin !== undefined) origins.set(error, origin);
  });
}

/**
 * Whether fetch failed since it could not connect to the origin of this URL. Then nothing of the attempt was sent: a
 * redirect from there would have been answered by a server to which there is a connection.
 */
export function isUnconnected(error: unknown, url: string): boolean {
  const cause = property(error, 'cause');
  const origin = typeof cause === 'object' && cause !== null ? origins.get(cause) : undefined;
  return origin !== undefined && origin === URL.parse(url)?.origin;
}
