import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { likeAxiosRetry } from '@ebb/compat';

const retryOptions = { retries: 2, retryDelay: () => 1000 };

const users = axios.create({ baseURL: 'https://users.example.com' });
const posts = axios.create({ baseURL: 'https://posts.example.com' });

users.interceptors.request.use(ebbInterceptor(likeAxiosRetry(retryOptions)));
const requestInterceptorId = posts.interceptors.request.use(ebbInterceptor(likeAxiosRetry({ ...retryOptions, retries: 4 })));

export function stopRetrying() {
  posts.interceptors.request.eject(requestInterceptorId);
}

export const both = async () => [(await users.get('/1')).data, (await posts.get('/1')).data];
