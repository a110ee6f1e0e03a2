import axios from 'axios';
import axiosRetry from 'axios-retry';

// Every instance of this program gets the same treatment.
export function withRetries(instance, options) {
  // TODO(ebb): axios-retry stays here: its options come from elsewhere: options
  axiosRetry(instance, { retries: 3, ...options });
  return instance;
}

export const github = withRetries(axios.create({ baseURL: 'https://api.github.com' }), { retries: 5 });
