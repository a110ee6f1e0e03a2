/** A policy of a server that counts requests in windows of its own clock. */
export interface ServerPolicy {
  readonly name: string;
  /** Requests in a window. */
  readonly quota: number;
  /** In seconds. */
  readonly windowSeconds: number;
  /** True if each tenant has a quota of its own; else they share one. */
  readonly isPerTenant: boolean;
  /** @default true */
  readonly isNamed?: boolean;
}

interface Window {
  startMs: number;
  count: number;
}

/** An answer of a {@link quotaServer}. */
export interface QuotaAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
}

/**
 * A service with quotas, as draft-ietf-httpapi-ratelimit-headers-10 has them. A refused request counts nowhere. Its windows are aligned with
 * a clock of its own, which no client knows.
 */
export function quotaServer(policies: readonly ServerPolicy[], offsetMs = 1_234) {
  const windows = new Map<string, Window>();
  /** The requests that were served in each window, by policy and tenant. */
  const used = new Map<string, number[]>();
  let [served, refused] = [0, 0];

  const answer = (tenant: string, atMs: number): QuotaAnswer => {
    const nowMs = atMs + offsetMs;
    const counted = policies.map((policy) => {
      const key = `${policy.name} ${policy.isPerTenant ? tenant : 'all'}`;
      const windowMs = policy.windowSeconds * 1_000;
      const startMs = Math.floor(nowMs / windowMs) * windowMs;
      let window = windows.get(key);
      if (window?.startMs !== startMs) {
        window = { startMs, count: 0 };
        windows.set(key, window);
        used.set(key, [...(used.get(key) ?? []), 0]);
      }
      return { policy, key, window, endMs: startMs + windowMs };
    });
    const isServed = counted.every(({ policy, window }) => window.count < policy.quota);
    if (isServed) served += 1;
    else refused += 1;
    for (const { window, key } of isServed ? counted : []) {
      window.count += 1;
      (used.get(key) as number[])[(used.get(key)?.length ?? 1) - 1] = window.count;
    }
    const pk = ({ isPerTenant }: ServerPolicy): string => (isPerTenant ? `;pk=:${btoa(tenant)}:` : '');
    const named = counted.filter(({ policy }) => policy.isNamed !== false);
    const list = (write: (one: (typeof counted)[number]) => string): string => named.map(write).join(', ');
    return {
      status: isServed ? 200 : 429,
      headers: {
        'ratelimit-policy': list(
          ({ policy }) => `"${policy.name}";q=${policy.quota};w=${policy.windowSeconds}${pk(policy)}`,
        ),
        ratelimit: list(({ policy, window, endMs }) => {
          const seconds = Math.ceil((endMs - nowMs) / 1_000);
          return `"${policy.name}";r=${policy.quota - window.count};t=${seconds}${pk(policy)}`;
        }),
      },
    };
  };
  return {
    answer,
    /** The share of its quota that was used in each window of a policy. */
    shares: (key: string, quota: number) => (used.get(key) ?? []).map((count) => count / quota),
    refusedShare: () => refused / Math.max(1, served + refused),
    sent: () => served + refused,
  };
}
