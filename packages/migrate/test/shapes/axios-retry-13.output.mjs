import * as axiosModule from 'axios';
import { ebbInterceptor } from '@ebb/axios';

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

const { default: axios } = axiosModule;

axios.interceptors.request.use(ebbInterceptor({
  methods: 'all',
  feedback: false,
  maxRetries: 3,
  backoff: ({ retry: retryCount }) => {
    console.log(`attempt ${retryCount}`);
    return retryCount * 2000; // 2 s, 4 s, 6 s
  },
  classify: retriedIf((error) => error.response.status === 503),
}));

export const status = async () => {
  const response = await axios.get('https://api.example.com/status', { validateStatus: (s) => s < 500 });
  return response.status;
};
