const retry = require('async-retry');

const transcribe = (file, openai) => {
  return retry(
    async (bail, attempt) => {
      console.log(`try ${attempt}`);
      return openai.transcribe(file).catch((error) => {
        if (error.code === 'context_length_exceeded') bail(error);
        throw error;
      });
    },
    { retries: 3 }
  );
};

exports.transcribe = transcribe;
