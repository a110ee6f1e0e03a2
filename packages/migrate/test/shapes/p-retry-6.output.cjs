const { likePRetry } = require('@ebb/compat');
const { retry } = require('@ebb/core');

async function query(db, sql) {
  return await retry(() => db.query(sql), likePRetry({
    retries: 10,
    onFailedAttempt: async error => {
      console.log(error.message);
      await new Promise(resolve => setTimeout(resolve, 50));
      if (error.code === 'FATAL') throw error;
    },
  }));
}

module.exports = { query };
