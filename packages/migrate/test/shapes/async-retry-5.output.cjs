const { retry } = require('@ebb/core');

// stopped 1ecb

// likeAsyncRetry 5e03

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
