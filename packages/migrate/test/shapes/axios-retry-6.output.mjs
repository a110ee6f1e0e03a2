import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { likeAxiosRetry } from '@ebb/compat';

const client = axios.create();
client.interceptors.request.use(ebbInterceptor(likeAxiosRetry({ retries: 0 })));

/** Only the exports are worth waiting for. */
export async function exportAll() {
  const { data } = await client.get('https://api.example.com/export', {
    headers: { accept: 'text/csv' },
    'axios-retry': {
      retries: 6,
      retryDelay: () => 500,
    },
  });
  return data;
}

export const ping = () => client.get('https://api.example.com/ping');
