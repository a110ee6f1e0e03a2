import axios from 'axios';
import rateLimit from 'axios-rate-limit';

const http = rateLimit(axios.create(), { maxRequests: 2, perMilliseconds: 1000 });

export const all = () =>
  Promise.all([1, 2, 3, 4, 5].map((page) => http.get(`https://api.example.com/users?page=${page}`).then((r) => r.status)));
