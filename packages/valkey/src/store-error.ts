import { property } from '@ebb/core/bucket';

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  const message = property(error, 'message');
  if (typeof message === 'string') return message.trim();
  return typeof error === 'object' ? 'an error without a message' : String(error);
}

/**
 * Permanent errors of a server: a missing right, an unsuitable server, a key of another type. GLIDE puts them in the
 * middle of its message, and renames some.
 */
const REFUSALS =
  /\b(NOAUTH|WRONGPASS|NOPERM|DENIED|NOPROTO|WRONGTYPE|READONLY|OOM|MISCONF|CROSSSLOT|ERR(?! max number of clients)|EBB|PermissionDenied)\b/;

/** A command of a script that its user may not run: as Valkey says it, and Redis 7. GLIDE leaves out the code before it. */
const NOT_IN_SCRIPT = /ACL failure in script|user executing the script can't/;

/** Whether the user of the store lacks a right. */
export function isDenied(error: unknown): boolean {
  const message = messageOf(error);
  return /NOPERM|PermissionDenied/.test(message) || NOT_IN_SCRIPT.test(message);
}

/** The client was closed, and does not reconnect. */
const CLOSED =
  /^(Connection is closed\.|The client is closed|Unable to execute requests; the client is closed)/;

/** Node's codes for TLS failures: protocol and certificates. */
const TLS = /^EPROTO$|_SSL_|_TLS_|CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(CA|PURPOSE)$/;

/** The reply does not come from the script. */
export class InvalidReply extends Error {
  constructor(reply: unknown) {
    super(`Unexpected reply from the store: ${shorten(reply)}`);
  }
}

/** The most of an unexpected reply that is shown, in characters. */
const MOST_SHOWN = 200;

/** A short text for any value; a store may reply with a whole page. */
function shorten(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part));
  } catch {
    // A value that refers to itself.
  }
  text ??= String(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/**
 * Whether an error is permanent, so that waiting is useless. A refused or broken connection is not permanent: the
 * store, or a proxy in front of it, may be starting. An unknown error is not either, because every wait is bounded.
 */
export function isPermanent(error: unknown): boolean {
  const code = property(error, 'code');
  if (error instanceof InvalidReply || (typeof code === 'string' && TLS.test(code))) return true;
  const message = messageOf(error);
  return REFUSALS.test(message) || isDenied(error) || CLOSED.test(message);
}

/** Errors of ioredis and iovalkey contain the failed command. For a login that includes the password. */
export function withoutSecrets(error: unknown): unknown {
  // The error that made a cluster client give up.
  const inner = property(error, 'lastNodeError');
  if (property(inner, 'message') !== undefined) return new Error(`${messageOf(error)} ${messageOf(inner)}`);
  const command = property(property(error, 'command'), 'name');
  return /^(auth|hello)$/i.test(String(command)) ? new Error(messageOf(error)) : error;
}

/** No reply came in time. The cause is what the connection has reported, if anything. */
export class NoReply extends Error {}

/** The error for a call without a reply in time. `connectionError`: the last error of its connection, if any. */
export function noReply(waitedMs: number, connectionError: unknown): unknown {
  if (isPermanent(connectionError)) return connectionError;
  const message = `The store did not reply within ${Math.round(waitedMs)} ms`;
  return connectionError === undefined
    ? new NoReply(message)
    : new NoReply(`${message}: ${messageOf(connectionError)}`, { cause: connectionError });
}

/** The `error` of a `lost` event if the store does not keep the bucket. */
export class ForgetfulStoreError extends Error {
  override readonly name = 'ForgetfulStoreError';

  constructor(agoMs: number) {
    super(
      `The store lost the bucket twice within ${Math.ceil(agoMs)} ms. Check its memory limit and its eviction policy.`,
    );
  }
}
