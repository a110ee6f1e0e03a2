import pThrottle from 'p-throttle';

const throttle = pThrottle({ limit: 1, interval: 500, strict: true, onDelay: () => console.log('waits') });

export const call = throttle((name) => fetch(`https://api.example.com/${name}`));
export const abort = () => call.abort();
