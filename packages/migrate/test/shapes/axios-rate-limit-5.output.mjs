import axios from 'axios';
import rateLimit from 'axios-rate-limit';

export function makeClient(baseURL) {
  // TODO(ebb): axios-rate-limit stays here: `setMaxRPS` is `setRate` or `stats` of a bucket, which needs a name
  return rateLimit(axios.create({ baseURL }), {
    limits: [
      { maxRequests: 5, duration: '1s' },
      { maxRequests: 100, duration: '1m' },
    ],
  });
}

const client = makeClient('https://api.example.com');
client.setMaxRPS(3);

export const first = () => client.get('/1');
