import { default as asyncRetry } from 'async-retry';

export async function fetchWithRetry(path = '/') {
  let status = 0;
  await asyncRetry(
    async () => {
      const response = await fetch(`https://api.example.com${path}`);
      status = response.status;
      if (status >= 500) throw new Error(`server says ${status}`);
    },
    {
      retries: 2,
      minTimeout: 2000,
      factor: 3,
      randomize: false,
      onRetry: (err, num) => {
        console.log(`retry count: ${num}: ${err.message}`);
      },
    },
  );
  return status;
}
