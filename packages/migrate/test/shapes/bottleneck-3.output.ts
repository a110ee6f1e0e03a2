import { createPolicy, retry, tokenBucket } from '@ebb/core';

const limiter = createPolicy({ maxRetries: 0, feedback: false, bucket: tokenBucket({ capacity: 3, refillPerSecond: (3 * 1000) / (60 * 1000), refillIntervalMs: 60 * 1000 }) });

async function send(id: number): Promise<number> {
  const response = await fetch(`https://api.example.com/send/${id}`, { method: 'POST' });
  return response.status;
}

const sendLimited = (...args: Parameters<typeof send>) => retry(() => send(...args), limiter);

export const sendMany = async (): Promise<number[]> => Promise.all([1, 2, 3, 4, 5].map((id) => sendLimited(id)));
