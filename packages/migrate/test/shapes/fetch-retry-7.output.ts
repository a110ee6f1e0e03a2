import { type LikeFetch, likeFetchRetry, type LikeFetchRetryOptions } from '@ebb/compat';
import { createFetch } from '@ebb/fetch';

const params: LikeFetchRetryOptions = { retries: 2, retryDelay: 300, retryOn: [500] };
const f = createFetch(likeFetchRetry(params), fetch) as LikeFetch;

export class Repo {
  private readonly base: string;

  constructor(base: string) {
    this.base = base;
  }

  async find(id: number): Promise<string> {
    const res = await f(`${this.base}/repo/${id}`, { headers: { accept: 'text/plain' } });
    return res.text();
  }

  /** Removing is tried more often. */
  async remove(id: number): Promise<number> {
    const res = await f(`${this.base}/repo/${id}`, { method: 'DELETE', retries: 4 });
    return res.status;
  }
}

export const remove = (): Promise<number> => new Repo('https://api.example.com').remove(1);
