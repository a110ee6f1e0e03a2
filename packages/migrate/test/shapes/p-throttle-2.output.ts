import { createPolicy, retry, tokenBucket } from '@ebb/core';

async function embed(text: string, model = 'small'): Promise<number> {
  const response = await fetch(`https://api.example.com/embed/${model}`, { method: 'POST', body: text });
  return response.status;
}

const throttledEmbedPolicy = createPolicy({ maxRetries: 0, feedback: false, bucket: tokenBucket({ capacity: 90, refillPerSecond: (90 * 1000) / (60 * 1000), refillIntervalMs: 60 * 1000 }) });
const throttledEmbed = (...args: Parameters<typeof embed>) => retry(() => embed(...args), throttledEmbedPolicy);

export const embedAll = (texts: readonly string[]): Promise<number[]> =>
  Promise.all(texts.map((text) => throttledEmbed(text)));
