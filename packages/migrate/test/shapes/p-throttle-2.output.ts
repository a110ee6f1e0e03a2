import { likePThrottle } from '@ebb/compat';

async function embed(text: string, model = 'small'): Promise<number> {
  const response = await fetch(`https://api.example.com/embed/${model}`, { method: 'POST', body: text });
  return response.status;
}

const throttledEmbed = likePThrottle({ limit: 90, interval: 60 * 1000 })(embed);

export const embedAll = (texts: readonly string[]): Promise<number[]> =>
  Promise.all(texts.map((text) => throttledEmbed(text)));
