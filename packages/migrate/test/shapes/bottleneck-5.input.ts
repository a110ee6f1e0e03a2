import Bottleneck from 'bottleneck';

export class Scraper {
  private readonly limiter: Bottleneck;

  constructor(perSecond: number) {
    this.limiter = new Bottleneck({ minTime: 1000 / perSecond });
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
