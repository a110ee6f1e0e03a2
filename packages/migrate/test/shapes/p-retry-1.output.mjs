import { retry } from '@ebb/core';

// likePRetry a2f2

const run = async () => {
  const response = await fetch('https://api.example.com/unicorn');
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
};

export const unicorn = () => retry(run, { ...likePRetry, maxRetries: 5 });
