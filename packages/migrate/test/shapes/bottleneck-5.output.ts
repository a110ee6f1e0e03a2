import { createPolicy, type Policy, retry, tokenBucket } from '@ebb/core';

export class Scraper {
  private readonly limiter: Policy;

  constructor(perSecond: number) {
    this.limiter = createPolicy({ maxRetries: 0, feedback: false, bucket: tokenBucket({ capacity: 1, refillPerSecond: (1 * 1000) / (1000 / perSecond) }) });
  }

  page(url: string): Promise<string> {
    return retry(async () => {
      const response = await fetch(url);
      return response.text();
    }, this.limiter);
  }
}

const scraper = new Scraper(4);

export const pages = (): Promise<string[]> =>
  Promise.all(['a', 'b', 'c'].map((name) => scraper.page(`https://api.example.com/${name}`)));
