const { likeAsyncRetry, withBail } = require('@ebb/compat');
const { retry } = require('@ebb/core');

const transcribe = (file, openai) => {
  return retry(
    withBail(async (bail, attempt) => {
      console.log(`try ${attempt}`);
      return openai.transcribe(file).catch((error) => {
        if (error.code === 'context_length_exceeded') bail(error);
        throw error;
      });
    }),
    likeAsyncRetry({ retries: 3 })
  );
};

exports.transcribe = transcribe;
