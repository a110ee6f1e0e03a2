import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';

// errorOf 3f17

// retriedIf daf9

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
