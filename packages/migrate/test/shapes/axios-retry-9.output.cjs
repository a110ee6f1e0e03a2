const axiosLib = require('axios');
const { ebbInterceptor } = require('@ebb/axios');

// errorOf 87df

// retriedIf 9c67

// isRetryableError f8fc

function createClient(token) {
  const instance = axiosLib.create({
    baseURL: 'https://api.example.com',
    headers: { authorization: `Bearer ${token}` },
  });
  instance.interceptors.request.use(ebbInterceptor({ methods: 'all', maxRetries: 2, classify: retriedIf(isRetryableError), backoff: ({ retry }) => 100 * retry }));
  return instance;
}

module.exports = { createClient, put: async () => (await createClient('t').put('/things/1', { a: 1 })).data };
