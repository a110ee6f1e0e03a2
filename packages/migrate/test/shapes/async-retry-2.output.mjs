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

/** The defaults of async-retry: after any error without `bail` the function is called again. */
const likeAsyncRetry = {
  maxRetries: 10,
  backoff: ({ retry, random }) => (1 + random()) * 1000 * 2 ** (retry - 1),
  feedback: false,
  classify: (outcome) => {
    if (outcome.type === 'response' && outcome.status === 0) return 'success';
    return (outcome.error)?.bail ? 'final' : 'transient';
  },
};

export const posts = () =>
  retry(
    async () => {
      const res = await fetch('https://api.example.com/posts');

      if (403 === res.status) {
        // don't retry upon 403
        throw stop(new Error('Unauthorized'));
      }
      if (!res.ok) throw new Error(`status ${res.status}`);

      const data = await res.text();
      return data.slice(0, 500);
    },
    { ...likeAsyncRetry, maxRetries: 5 }, { judge: unlessStopped },
  );
