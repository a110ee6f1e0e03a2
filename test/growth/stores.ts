import { watchConnection } from '../../packages/valkey/src/connection.ts';
import { lossReason } from '../../packages/valkey/src/loss-reason.ts';
import { parseReply, readNumbers, type StoreCall } from '../../packages/valkey/src/store-call.ts';
import { runScript } from '../../packages/valkey/src/store-client.ts';
import { isPermanent, noReply, withoutSecrets } from '../../packages/valkey/src/store-error.ts';
import type { Reading } from './reading.ts';

const LEASE: StoreCall = { mode: 'lease', minAmounts: [1], maxAvailable: [1], maxFuture: [1], withinMs: 0 };

/** A reply of the bucket's script for one unit, with a text in one place. */
const replyWith = (place: number, text: string): readonly unknown[] =>
  [1, 5, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 5, 1, 1, 0, 0, 0, 0, '1', '1'].map((part, at) =>
    at === place ? text : part,
  );

const ignoringErrors = (read: () => unknown): void => {
  try {
    read();
  } catch {
    // It is no reply of the script.
  }
};

const bucketReply =
  (place: number, units = 1) =>
  (text: string): void =>
    ignoringErrors(() => parseReply(LEASE, replyWith(place, text), units));

/** The script of a budget replies with six numbers. */
const budgetReply = (text: string): void => {
  for (const reply of [[text, text, text, text, text, text], text])
    ignoringErrors(() => readNumbers(reply, [[0, 1], [0], [0], [0, 1], [0], [0, 1e6]]));
};

/** A client with listeners, which reports errors beside its replies. */
const connectionError = (text: string): void => {
  const listeners = new Map<unknown, (error: unknown) => void>();
  const client = {
    on: (event: unknown, listener: (error: unknown) => void) => listeners.set(event, listener),
    off: () => undefined,
    evalsha: () => undefined,
    eval: () => undefined,
  };
  const connection = watchConnection(client as never);
  listeners.get('node-error')?.({ message: text, lastNodeError: { message: text } });
  noReply(1, connection.error());
  connection.release();
};

const rejected = (text: string): Promise<unknown> => {
  const client = {
    evalsha: () => Promise.reject(new Error(text)),
    eval: async () => text,
  };
  return runScript(client, { text: '', sha1: '' }, 'key', []).catch(() => undefined);
};

/** What reads the replies and the errors of a store. */
export const fromStores: readonly Reading[] = [
  ['the tokens that a lease was granted', bucketReply(14), ['9', '1 ', ' ', '-']],
  ['the tokens of 64 units that a lease was granted', bucketReply(14, 64), ['9', '1 ', ' ']],
  ['a number of a reply of the bucket', bucketReply(1), ['9', '-', ' ', '"']],
  ['the limits of a bucket', bucketReply(19), ['9', '-', ' ', '.', 'e9']],
  [
    'a reply that the script cannot have sent',
    (text) => {
      for (const reply of [text, text.split(''), { text }]) ignoringErrors(() => parseReply(LEASE, reply, 1));
    },
    ['<', '"', '\\', '\u0000', '9'],
  ],
  ['a reply of the budget', budgetReply, ['9', '-', ' ', '"']],
  [
    'an error of the store',
    (text) => [
      isPermanent(new Error(text)),
      lossReason(new Error(text)),
      isPermanent({ code: text }),
      withoutSecrets({ message: text, command: { name: text } }),
    ],
    ['ERR max number of clients', 'NOAUT', 'CER', '_SSL', '_', ' ', '\n', 'EBB'],
  ],
  ['an error of the connection', connectionError, ['ERR max number of clients', ' ', 'NOAUT', '\n']],
  ['an error of a script', rejected, ['NOSCRIP', 'NoScript', ' ']],
];
