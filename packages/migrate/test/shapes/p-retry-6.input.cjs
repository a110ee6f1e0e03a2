const pRetry = require('p-retry');

async function query(db, sql) {
  return await pRetry(() => db.query(sql), {
    retries: 10,
    onFailedAttempt: async error => {
      console.log(error.message);
      await new Promise(resolve => setTimeout(resolve, 50));
      if (error.code === 'FATAL') throw error;
    },
  });
}

module.exports = { query };
