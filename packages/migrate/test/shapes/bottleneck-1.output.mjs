import { likeBottleneck } from '@ebb/compat';

const limiter = likeBottleneck({ maxConcurrent: 1, minTime: 333 });

export const all = (ids = [1, 2, 3, 4]) =>
  Promise.all(ids.map((id) => limiter.schedule(() => fetch(`https://api.example.com/${id}`).then((r) => r.status))));
