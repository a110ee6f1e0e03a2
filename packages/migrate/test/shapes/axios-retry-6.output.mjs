import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { constant } from '@ebb/core';

// likeAxiosRetry 9d3b

const client = axios.create();
client.interceptors.request.use(ebbInterceptor({ ...likeAxiosRetry, maxRetries: 0 }));

// undefined 6db2

export const ping = () => client.get('https://api.example.com/ping');
