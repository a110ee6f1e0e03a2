import { type LikeBottleneck, likeBottleneck } from '@ebb/compat';

export class Scraper {
  private readonly limiter: LikeBottleneck;

  constructor(perSecond: number) {
    this.limiter = likeBottleneck({ minTime: 1000 / perSecond });
  }

  page(url: string): Promise<string> {
    return this.limiter.schedule(async () => {
      const response = await fetch(url);
      return response.text();
    });
  }
}

const scraper = new Scraper(4);

export const pages = (): Promise<string[]> =>
  Promise.all(['a', 'b', 'c'].map((name) => scraper.page(`https://api.example.com/${name}`)));
