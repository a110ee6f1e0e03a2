import type { Server } from '../../worlds/servers.ts';
import { ACCOUNT, type Client } from '../../worlds/world.ts';
import type { Answer, ModelLimiterRival } from '../rivals/model-limiter.ts';
import { useAsGlobals } from './globals.ts';

/** The least wait after a 429. */
const LEAST_WAIT_MS = 1_000;

/** Callers behind a rival, which go to it again when a refusal asks them to. */
export function clientOf({ make }: ModelLimiterRival, { boundOf, usedIn }: Server): Client {
  return (send, { clock, random }) => {
    useAsGlobals(clock);
    const limited = make({ requests: ACCOUNT.requests, tokens: ACCOUNT.output }, clock, random);
    const answered = async (body: string): Promise<Answer> => {
      const response = await send(body);
      const { usage } = (await response.clone().json()) as { usage?: Readonly<Record<string, number>> };
      return { response, used: usage && usedIn(usage) };
    };
    return async (body) => {
      for (;;) {
        const { response } = await limited(boundOf(body), () => answered(body));
        if (response.status !== 429) return response;
        const askedMs = Number(response.headers.get('retry-after') ?? 0) * 1_000;
        // As it is advised: at least so long, and some jitter.
        await clock.sleep(Math.max(LEAST_WAIT_MS, askedMs) * (1 + random()));
      }
    };
  };
}
