const { retry } = require('@ebb/core');

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

async function query(db, sql) {
  return await retry(() => db.query(sql), {
    ...likePRetry,
    maxRetries: 10,
    // TODO(ebb): `judge` decides at once: it awaits nothing
    // onFailedAttempt: async error => {
    //   console.log(error.message);
    //   await new Promise(resolve => setTimeout(resolve, 50));
    //   if (error.code === 'FATAL') throw error;
    // },
  });
}

module.exports = { query };
