import type * as undici8 from 'undici';

type Undici = Pick<typeof undici8, 'Agent' | 'Pool'>;

/**
 * An agent of undici, and what ends all of its connections. `destroy` of undici's own agent does not: with the first connection that is
 * lost it forgets the pool, whose other requests go on.
 */
export function agentOf({ Agent, Pool }: Undici): { agent: undici8.Agent; close(): Promise<void> } {
  const pools: undici8.Pool[] = [];
  const agent = new Agent({
    factory(origin, options) {
      const pool = new Pool(origin, options);
      pools.push(pool);
      return pool;
    },
  });
  const close = async (): Promise<void> => {
    await agent.destroy();
    await Promise.all(pools.map((pool) => pool.destroy()));
  };
  return { agent, close };
}
