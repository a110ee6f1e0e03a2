import { likeAsyncRetry, withBail } from '@ebb/compat';
import { retry } from '@ebb/core';

export const posts = () =>
  retry(
    withBail(async (bail) => {
      const res = await fetch('https://api.example.com/posts');

      if (403 === res.status) {
        // don't retry upon 403
        bail(new Error('Unauthorized'));
        return;
      }
      if (!res.ok) throw new Error(`status ${res.status}`);

      const data = await res.text();
      return data.slice(0, 500);
    }),
    likeAsyncRetry({ retries: 5 }),
  );
