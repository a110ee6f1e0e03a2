import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { constant } from '@ebb/core';

// likeAxiosRetry 9d3b

axios.interceptors.request.use(ebbInterceptor({ ...likeAxiosRetry, maxRetries: 3 }));

export async function getUser(id) {
  const { data } = await axios.get(`https://api.example.com/users/${id}`);
  return data;
}
