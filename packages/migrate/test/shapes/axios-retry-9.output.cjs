const axiosLib = require('axios');
const { ebbInterceptor } = require('@ebb/axios');

/** The error that axios makes of an outcome, as far as this program reads it. */
const errorOf = (outcome, { method, url }) =>
  (outcome.type === 'failure'
    ? outcome.error
    : {
        message: `Request failed with status code ${outcome.status}`,
        code: outcome.status >= 500 ? 'ERR_BAD_RESPONSE' : 'ERR_BAD_REQUEST',
        response: {
          status: outcome.status,
          headers: new Proxy({}, { get: (_, name) => outcome.header(String(name).toLowerCase()) }),
        },
        config: { method: method.toLowerCase(), url },
      });

/** Decides by the error, as `retryCondition` of axios-retry does. */
const retriedIf = (condition) => (outcome, request) => {
  if (outcome.type === 'response' && outcome.status >= 200 && outcome.status < 300) return 'success';
  if (outcome.type === 'failure' && outcome.kind === 'aborted') return 'final';
  return condition(errorOf(outcome, request)) ? 'transient' : 'final';
};

const isRetryableError = ({ code, response }) =>
  code !== 'ECONNABORTED' && (!response || response.status === 429 || response.status >= 500);

function createClient(token) {
  const instance = axiosLib.create({
    baseURL: 'https://api.example.com',
    headers: { authorization: `Bearer ${token}` },
  });
  instance.interceptors.request.use(ebbInterceptor({ methods: 'all', maxRetries: 2, classify: retriedIf(isRetryableError), backoff: ({ retry }) => 100 * retry }));
  return instance;
}

module.exports = { createClient, put: async () => (await createClient('t').put('/things/1', { a: 1 })).data };
