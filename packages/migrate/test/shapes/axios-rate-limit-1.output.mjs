import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { likeAxiosRateLimit } from '@ebb/compat';

const http = likeAxiosRateLimit(axios.create(), { maxRequests: 2, perMilliseconds: 1000 }, ebbInterceptor);

export const all = () =>
  Promise.all([1, 2, 3, 4, 5].map((page) => http.get(`https://api.example.com/users?page=${page}`).then((r) => r.status)));
