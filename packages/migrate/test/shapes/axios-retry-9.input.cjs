const axiosLib = require('axios');
const { default: axiosRetry, isRetryableError } = require('axios-retry');

function createClient(token) {
  const instance = axiosLib.create({
    baseURL: 'https://api.example.com',
    headers: { authorization: `Bearer ${token}` },
  });
  axiosRetry(instance, { retries: 2, retryCondition: isRetryableError, retryDelay: axiosRetry.linearDelay() });
  return instance;
}

module.exports = { createClient, put: async () => (await createClient('t').put('/things/1', { a: 1 })).data };
