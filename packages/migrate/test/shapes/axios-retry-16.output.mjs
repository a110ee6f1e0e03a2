import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { constant } from '@ebb/core';

// likeAxiosRetry 9d3b

const retryOptions = { ...likeAxiosRetry, feedback: false, maxRetries: 2, backoff: () => 1000 };

const users = axios.create({ baseURL: 'https://users.example.com' });
const posts = axios.create({ baseURL: 'https://posts.example.com' });

users.interceptors.request.use(ebbInterceptor(retryOptions));
const requestInterceptorId = posts.interceptors.request.use(ebbInterceptor({ ...retryOptions, maxRetries: 4 }));

export function stopRetrying() {
  posts.interceptors.request.eject(requestInterceptorId);
}

export const both = async () => [(await users.get('/1')).data, (await posts.get('/1')).data];
