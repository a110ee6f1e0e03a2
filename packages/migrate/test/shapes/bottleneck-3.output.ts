import { likeBottleneck } from '@ebb/compat';

const limiter = likeBottleneck({
  reservoir: 3,
  reservoirRefreshAmount: 3,
  reservoirRefreshInterval: 60 * 1000,
});

async function send(id: number): Promise<number> {
  const response = await fetch(`https://api.example.com/send/${id}`, { method: 'POST' });
  return response.status;
}

const sendLimited = limiter.wrap(send);

export const sendMany = async (): Promise<number[]> => Promise.all([1, 2, 3, 4, 5].map((id) => sendLimited(id)));
