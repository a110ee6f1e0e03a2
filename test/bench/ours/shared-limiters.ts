import { valkeyBucket } from '@ebb/valkey';
import { Redis } from 'iovalkey';
import { SCRIPT, SCRIPT_SHA1 } from '../../../packages/valkey/src/script.ts';
import { rival, rivalsIn } from '../rivals/folder.ts';
import { capacityOf } from '../rivals/limiter.ts';
import type { SharedLimiterRival } from '../rivals/shared-limiter.ts';

/** The script of ebb's bucket for each token, without leases: what they save. It does not wait. */
export const WITHOUT_LEASES = 'ebb’s script, one EVALSHA each';

const ours: Readonly<Record<string, SharedLimiterRival>> = {
  ebb: {
    promised: 'bucket since the start',
    async make(storeUrl, quota) {
      const client = new Redis(storeUrl);
      const refillPerSecond = (quota.limit * 1_000) / quota.intervalMs;
      const bucket = valkeyBucket({ client, key: 'bench', refillPerSecond, capacity: capacityOf(quota) });
      return {
        take: () => bucket.acquire(),
        takeTimed: async () => (await bucket.acquire()).grantedAtMs - performance.timeOrigin,
        close: async () => {
          await bucket.close();
          client.disconnect();
        },
      };
    },
  },
  [WITHOUT_LEASES]: {
    promised: 'bucket since the start',
    async make(storeUrl, quota) {
      const client = new Redis(storeUrl);
      await client.script('LOAD', SCRIPT);
      const rate = (quota.limit * 1_000) / quota.intervalMs;
      const settings = ['lease', rate, capacityOf(quota) * 1e6, '', 0, 0, 1e6, 1e6, '', 0, 0];
      return {
        take: () => client.evalsha(SCRIPT_SHA1, 1, 'ebb:{single}', ...settings),
        close: () => client.disconnect(),
      };
    },
  },
};

export function sharedLimiters(): string[] {
  return [...Object.keys(ours), ...rivalsIn('shared-limiter')];
}

/** One of them, and loads no other. */
export async function sharedLimiter(name: string): Promise<SharedLimiterRival> {
  return ours[name] ?? rival<SharedLimiterRival>('shared-limiter', name);
}
