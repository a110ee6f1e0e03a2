import axiosRetry from 'axios-retry';
import axios, { AxiosError } from 'axios';

const RETRIES = Number(process.env.RETRIES ?? 3);
const client = axios.create({ baseURL: 'https://api.example.com' });

axiosRetry(client, {
  retries: RETRIES,
  retryCondition(error: AxiosError) {
    const status = error.response?.status;
    if (status === undefined) return error.code !== 'ERR_CANCELED';
    return status === 429 || status >= 500;
  },
  retryDelay: function (retryCount) {
    return Math.min(1000 * Math.pow(2, retryCount), 10000);
  },
});

export async function charge(): Promise<unknown> {
  return (await client.post('/charges', { amount: 5 })).data;
}
