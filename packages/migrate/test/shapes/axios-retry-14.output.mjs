import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { likeAxiosRetry } from '@ebb/compat';

const read = axios.create({ baseURL: 'https://read.example.com' });
const write = axios.create({ baseURL: 'https://write.example.com' });

for (const instance of [read, write]) {
	instance.interceptors.request.use(ebbInterceptor(likeAxiosRetry({
		retries: 3,
		retryDelay: likeAxiosRetry.exponentialDelay,
		retryCondition: () => true,
	})));
}

export const save = (row) => write.post('/rows', row).then(({ data }) => data);
export const rows = () => read.get('/rows').then(({ data }) => data);
