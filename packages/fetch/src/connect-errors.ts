import { property } from '@ebb/core/adapter';
import { nodeProcess } from './node.ts';

/** A message on undici's diagnostics channel for failed connections. */
interface ConnectError {
  readonly connectParams?: { readonly protocol?: string; readonly host?: string };
  readonly error?: unknown;
}

/** The origin of each failed connection, by its error. */
const origins = new WeakMap<object, string>();
let isSubscribed = false;

/** Starts to record the origins of failed connections of Node's fetch. Costs nothing until one fails. */
export function recordConnectErrors(): void {
  if (isSubscribed) return;
  isSubscribed = true;
  if (nodeProcess?.versions?.undici === undefined) return;
  const channels = nodeProcess.getBuiltinModule?.('node:diagnostics_channel');
  channels?.subscribe('undici:client:connectError', (message) => {
    const { connectParams, error } = message as ConnectError;
    const origin = URL.parse(`${connectParams?.protocol}//${connectParams?.host}`)?.origin;
    if (typeof error === 'object' && error !== null && origin !== undefined) origins.set(error, origin);
  });
}

/**
 * True if fetch failed because it could not connect to the origin of `url`. Then nothing of the attempt was sent: after
 * a redirect from that origin a connection to it would exist. The exception is a server that redirects to itself, closes
 * the connection and refuses the next: its attempt gets a token back although the server counted it.
 */
export function failedToConnectTo(error: unknown, url: string): boolean {
  const cause = property(error, 'cause');
  const origin = typeof cause === 'object' && cause !== null ? origins.get(cause) : undefined;
  return origin !== undefined && origin === URL.parse(url)?.origin;
}
