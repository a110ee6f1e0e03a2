const axiosLib = require('axios');
const { ebbInterceptor } = require('@ebb/axios');
const { likeAxiosRetry } = require('@ebb/compat');

function createClient(token) {
  const instance = axiosLib.create({
    baseURL: 'https://api.example.com',
    headers: { authorization: `Bearer ${token}` },
  });
  instance.interceptors.request.use(ebbInterceptor(likeAxiosRetry({ retries: 2, retryCondition: likeAxiosRetry.isRetryableError, retryDelay: likeAxiosRetry.linearDelay() })));
  return instance;
}

module.exports = { createClient, put: async () => (await createClient('t').put('/things/1', { a: 1 })).data };
