import { retry } from '@ebb/core';

// stopped 1ecb

// likeAsyncRetry 5e03

export const posts = () =>
  retry(
    async () => {
      const res = await fetch('https://api.example.com/posts');

      if (403 === res.status) {
        // don't retry upon 403
        throw stop(new Error('Unauthorized'));
      }
      if (!res.ok) throw new Error(`status ${res.status}`);

      const data = await res.text();
      return data.slice(0, 500);
    },
    { ...likeAsyncRetry, maxRetries: 5 }, { judge: unlessStopped },
  );
