const { retry } = require('@ebb/core');

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

const transcribe = (file, openai) => {
  return retry(
    async ({ attempt }) => {
      console.log(`try ${attempt}`);
      return openai.transcribe(file).catch((error) => {
        if (error.code === 'context_length_exceeded') throw stop(error);
        throw error;
      });
    },
    { ...likeAsyncRetry, maxRetries: 3 }, { judge: unlessStopped }
  );
};

exports.transcribe = transcribe;
