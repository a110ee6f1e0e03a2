import { createPolicy, type Policy, type PolicyOptions, retry } from '@ebb/core';
import { orThrow, URL_OF_ALL, type World } from './world.ts';

/** A request by fetch, of which a failing status is an error. */
export const load = (world: World) => async (): Promise<Response> => orThrow(await world.fetch(URL_OF_ALL));

/** The same for one of several things. */
export const loadOne =
  (world: World) =>
  async (id: number): Promise<Response> =>
    orThrow(await world.fetch(`${URL_OF_ALL}/${id}`));

/** How each of some calls ends. */
export const each = (count: number, call: (id: number) => Promise<unknown>): Promise<unknown[]> =>
  Promise.all(Array.from({ length: count }, (_, id) => call(id).catch((error: unknown) => error)));

/** A policy that only limits. */
export const limits = (options: PolicyOptions): Policy =>
  createPolicy({ maxRetries: 0, feedback: false, ...options });

/** How each of some requests ends under a policy. */
export const loadEach = (world: World, count: number, policy: Policy): Promise<unknown[]> =>
  each(count, (id) => retry(() => loadOne(world)(id), policy));
