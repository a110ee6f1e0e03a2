import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { likeAxiosRetry } from '@ebb/compat';

axios.interceptors.request.use(ebbInterceptor(likeAxiosRetry({ retries: 3 })));

export async function getUser(id) {
  const { data } = await axios.get(`https://api.example.com/users/${id}`);
  return data;
}
