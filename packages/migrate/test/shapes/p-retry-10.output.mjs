import pLimit from 'p-limit';
import { retry } from '@ebb/core';

/** Errors after which nothing is called again. */
const stopped = new WeakSet();
const stop = (reason) => {
  const error = reason instanceof Error ? reason : new Error(reason === undefined ? 'Aborted' : String(reason));
  stopped.add(error);
  return error;
};
const unlessStopped = (settled) =>
  settled.type === 'error' && stopped.has(settled.error) ? 'final' : undefined;

/** The defaults of p-retry: after any error but a mistake in the program the function is called again. */
const likePRetry = {
  maxRetries: 10,
  backoff: ({ retry }) => 1000 * 2 ** (retry - 1),
  feedback: false,
  classify: (outcome) => {
    if (outcome.type === 'response') return outcome.status === 0 ? 'success' : 'transient';
    return outcome.kind === 'unknown' && outcome.error instanceof TypeError ? 'final' : 'transient';
  },
};

const limit = pLimit(5);

const fetchOne = async (id) => {
  try {
    const res = await fetch(`https://api.example.com/items/${id}`);
    if (res.status === 400) throw stop(new RangeError(`no item ${id}`));
    if (!res.ok) throw new Error(res.statusText);
    return await res.json();
  } catch (error) {
    if (stopped.has(error)) console.error('not again', error.message);
    throw error;
  }
};

export const fetchAll = (ids) => Promise.all(ids.map((id) => limit(() => retry(() => fetchOne(id), { ...likePRetry, maxRetries: 2 }, { judge: unlessStopped }))));
