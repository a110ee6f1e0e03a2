import { constant, retry } from '@ebb/core';

// likePRetry a2f2

// judgedBy 5bbf

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
  retry(() => fetchJson('/settings'), {
    ...likePRetry,
    maxRetries: 4,
    backoff: constant(100),
  }, { judge: judgedBy({ retries: 4, shouldRetry: ({ error }) => !(error instanceof HttpError) || error.status >= 500, onFailedAttempt: ({ attemptNumber, retriesLeft }) => {
      console.log(`${attemptNumber} done, ${retriesLeft} left`);
    } }) });
