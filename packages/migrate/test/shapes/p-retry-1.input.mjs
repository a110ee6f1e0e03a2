import pRetry from 'p-retry';

const run = async () => {
  const response = await fetch('https://api.example.com/unicorn');
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
};

export const unicorn = () => pRetry(run, { retries: 5 });
