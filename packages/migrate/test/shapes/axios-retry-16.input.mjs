import axios from 'axios';
import axiosRetry from 'axios-retry';

const retryOptions = { retries: 2, retryDelay: () => 1000 };

const users = axios.create({ baseURL: 'https://users.example.com' });
const posts = axios.create({ baseURL: 'https://posts.example.com' });

axiosRetry(users, retryOptions);
const { requestInterceptorId, responseInterceptorId } = axiosRetry(posts, { ...retryOptions, retries: 4 });

export function stopRetrying() {
  posts.interceptors.request.eject(requestInterceptorId);
  posts.interceptors.response.eject(responseInterceptorId);
}

export const both = async () => [(await users.get('/1')).data, (await posts.get('/1')).data];
