import { adaptiveThrottle, inspectBody, type PolicyOptions } from '@ebb/core';
import { limits } from './limits.ts';

/** The clients of a program. What is cheap for its only client may not be cheap beside others. */
export type Company = 'alone' | 'ten clients' | 'ten clients, five of them with limits';

export const COMPANIES: readonly Company[] = [
  'alone',
  'ten clients',
  'ten clients, five of them with limits',
];

const inspecting = async (response: { text(): Promise<string> }): Promise<undefined> => {
  await response.text();
};

/** Three clients with limits that no caller reaches, one with a throttle, one that looks into each response, and five without. */
const OPTIONS: readonly (() => PolicyOptions)[] = [
  limits.bucket,
  limits.slots,
  limits.all,
  () => ({ throttle: adaptiveThrottle() }),
  () => ({ inspect: inspectBody(inspecting) }),
];

/** How many of ten have options beside their retries. */
export const LIMITED: number = OPTIONS.length;

/** What the nth of ten clients has beside its retries. */
export function optionsIn(nth: number): PolicyOptions {
  return OPTIONS[nth]?.() ?? {};
}
