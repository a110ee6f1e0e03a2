import axios, { type AxiosInstance } from 'axios';

/** An instance whose adapter responds at once. */
export function stubbed(): AxiosInstance {
  return axios.create({
    adapter: async (config) => ({ status: 200, statusText: 'OK', headers: {}, data: '', config }),
  });
}
