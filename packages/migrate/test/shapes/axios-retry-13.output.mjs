import * as axiosModule from 'axios';
import { ebbInterceptor } from '@ebb/axios';

// errorOf 87df

// retriedIf 9c67

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
