import axios from 'axios';
import axiosRetry from 'axios-retry';

const read = axios.create({ baseURL: 'https://read.example.com' });
const write = axios.create({ baseURL: 'https://write.example.com' });

for (const instance of [read, write]) {
	axiosRetry(instance, {
		retries: 3,
		retryDelay: axiosRetry.exponentialDelay,
		retryCondition: () => true,
	});
}

export const save = (row) => write.post('/rows', row).then(({ data }) => data);
export const rows = () => read.get('/rows').then(({ data }) => data);
