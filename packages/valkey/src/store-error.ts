import { property } from '@ebb/core/bucket';

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  const message = property(error, 'message');
  if (typeof message === 'string') return message.trim();
  return typeof error === 'object' ? 'an error without a message' : String(error);
}

/**
 * Permanent errors of a server: the user, the server or the key is not what the bucket needs. GLIDE puts them in the
 * middle of a message, and has its own names for some.
 */
const REFUSALS =
  /\b(NOAUTH|WRONGPASS|NOPERM|DENIED|NOPROTO|WRONGTYPE|READONLY|OOM|MISCONF|CROSSSLOT|ERR(?! max number of clients)|EBB|PermissionDenied)\b/;

/** The client was closed, and does not open again by itself. */
const CLOSED =
  /^(Connection is closed\.|The client is closed|Unable to execute requests; the client is closed)/;

/** The codes that Node gives to failures of TLS: of the protocol, and of certificates. */
const TLS = /^EPROTO$|_SSL_|_TLS_|CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(CA|PURPOSE)$/;

/** The reply is not one of the script. */
export class InvalidReply extends Error {}

/**
 * Whether an error is permanent, so that waiting is useless. A connection that is refused or breaks is not: a store that
 * starts, or a proxy before it, does that for a while. Nor is an unknown error, because every wait is bounded.
 */
export function isPermanent(error: unknown): boolean {
  const code = property(error, 'code');
  if (error instanceof InvalidReply || (typeof code === 'string' && TLS.test(code))) return true;
  const message = messageOf(error);
  return REFUSALS.test(message) || CLOSED.test(message);
}

/** Errors of ioredis and iovalkey hold the command that failed, and that of a login holds the password. */
export function withoutSecrets(error: unknown): unknown {
  // What made a cluster's client give up.
  const inner = property(error, 'lastNodeError');
  if (property(inner, 'message') !== undefined) return new Error(`${messageOf(error)} ${messageOf(inner)}`);
  const command = property(property(error, 'command'), 'name');
  return /^(auth|hello)$/i.test(String(command)) ? new Error(messageOf(error)) : error;
}

/** No reply came in time. `connectionError` is what is known of the connection. */
export function noReply(waitedMs: number, connectionError: unknown): unknown {
  if (isPermanent(connectionError)) return connectionError;
  const message = `The store did not reply within ${Math.round(waitedMs)} ms`;
  return connectionError === undefined
    ? new Error(message)
    : new Error(`${message}: ${messageOf(connectionError)}`, { cause: connectionError });
}
