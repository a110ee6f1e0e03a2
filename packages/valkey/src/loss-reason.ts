import { property } from '@ebb/core/bucket';
import { ForgetfulStoreError, InvalidReply, isDenied, messageOf, NoReply } from './store-error.ts';

/**
 * Why a process lost its store. `'timeout'`: no reply came in time. `'connection'`: there is no connection, or the connection broke.
 * `'refused'`: the server replied with an error. `'data'`: the store loses its data. `'reply'`: the reply is not from the script.
 * `'other'`: anything else.
 */
export type LossReason = 'timeout' | 'connection' | 'refused' | 'data' | 'reply' | 'other';

export const LOSS_REASONS: readonly LossReason[] = [
  'timeout',
  'connection',
  'refused',
  'data',
  'reply',
  'other',
];

/** Node's codes of sockets, names and TLS. */
const CODES =
  /^(ECONN|EPIPE|EPROTO|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ENOENT|ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_)/;

/** Messages of the clients about a connection, and some messages of Node. */
const CONNECTION =
  /ECONN|\bconnection\b|\bsocket\b|the client is closed|max retries per request|stream isn't writeable|All nodes failed|Failed to refresh slots/i;

/** The code that begins an error of a server; GLIDE has it in the middle. */
const SERVER = /^[A-Z]{2}[A-Z\d]* |\b(NOAUTH|WRONGPASS|WRONGTYPE|READONLY|OOM|MISCONF|LOADING|CLUSTERDOWN)\b/;

export function lossReason(error: unknown): LossReason {
  if (error instanceof ForgetfulStoreError) return 'data';
  if (error instanceof InvalidReply) return 'reply';
  if (error instanceof NoReply) return error.cause === undefined ? 'timeout' : 'connection';
  const code = property(error, 'code');
  if (typeof code === 'string' && CODES.test(code)) return 'connection';
  if (isDenied(error)) return 'refused';
  const message = messageOf(error);
  if (SERVER.test(message) && !/^ECONN/.test(message)) return 'refused';
  if (/timed out/i.test(message)) return 'timeout';
  return CONNECTION.test(message) ? 'connection' : 'other';
}
