import pThrottle from 'p-throttle';

// TODO(ebb): p-throttle stays here: a bucket has no sliding window, as `strict` has
const throttle = pThrottle({ limit: 1, interval: 500, strict: true, onDelay: () => console.log('waits') });

export const call = throttle((name) => fetch(`https://api.example.com/${name}`));
export const abort = () => call.abort();
