import axios from 'axios';
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

const read = axios.create({ baseURL: 'https://read.example.com' });
const write = axios.create({ baseURL: 'https://write.example.com' });

for (const instance of [read, write]) {
	instance.interceptors.request.use(ebbInterceptor({
		methods: 'all',
		maxRetries: 3,
		backoff: ({ retry, random }) => 100 * 2 ** retry * (1 + random() / 5),
		classify: retriedIf(() => true),
	}));
}

export const save = (row) => write.post('/rows', row).then(({ data }) => data);
export const rows = () => read.get('/rows').then(({ data }) => data);
