import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { tokenBucket } from '@ebb/core';

const http = axios.create();
http.interceptors.request.use(ebbInterceptor({ maxRetries: 0, feedback: false, bucket: tokenBucket({ capacity: 2, refillPerSecond: 2, refillIntervalMs: 1000 }) }));

export const all = () =>
  Promise.all([1, 2, 3, 4, 5].map((page) => http.get(`https://api.example.com/users?page=${page}`).then((r) => r.status)));
