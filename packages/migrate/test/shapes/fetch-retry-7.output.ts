import { type Classify, constant, type Outcome, type PolicyOptions } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

// SettledFetch b969

// settledBy 6c82

// retriedOn 5065

// likeFetchRetry cb11

const params: PolicyOptions = { ...likeFetchRetry, maxRetries: 2, backoff: constant(300), classify: retriedOn([500]) };
const f = createFetch(params, fetch);

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
    const res = await f(`${this.base}/repo/${id}`, { method: 'DELETE', ebb: { maxRetries: 4 } });
    return res.status;
  }
}

export const remove = (): Promise<number> => new Repo('https://api.example.com').remove(1);
