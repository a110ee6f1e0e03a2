import { likePRetry } from '@ebb/compat';
import { retry } from '@ebb/core';

const run = async () => {
  const response = await fetch('https://api.example.com/unicorn');
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
};

export const unicorn = () => retry(run, likePRetry({ retries: 5 }));
