import retry from 'async-retry';

export const posts = () =>
  retry(
    async (bail) => {
      const res = await fetch('https://api.example.com/posts');

      if (403 === res.status) {
        // don't retry upon 403
        bail(new Error('Unauthorized'));
        return;
      }
      if (!res.ok) throw new Error(`status ${res.status}`);

      const data = await res.text();
      return data.slice(0, 500);
    },
    { retries: 5 },
  );
