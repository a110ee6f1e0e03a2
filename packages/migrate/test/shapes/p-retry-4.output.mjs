import { likePRetry } from '@ebb/compat';
import { retry } from '@ebb/core';

class HttpError extends Error {
  constructor(status) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

async function fetchJson(path) {
  const res = await fetch(`https://api.example.com${path}`);
  if (!res.ok) throw new HttpError(res.status);
  return res.json();
}

export const settings = () =>
  retry(() => fetchJson('/settings'), likePRetry({
    retries: 4,
    minTimeout: 100,
    factor: 1,
    shouldRetry: ({ error }) => !(error instanceof HttpError) || error.status >= 500,
    onFailedAttempt: ({ attemptNumber, retriesLeft }) => {
      console.log(`${attemptNumber} done, ${retriesLeft} left`);
    },
  }));
