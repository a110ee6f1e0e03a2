import ky from 'ky';
import { likeKy } from '@ebb/compat';
import { createFetch } from '@ebb/fetch';

export const data = async () => {
  const json = await likeKy(ky, createFetch).get('https://api.example.com/data', { retry: 5 }).json();
  return json;
};
