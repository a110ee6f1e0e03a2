import { property } from '@ebb/core/adapter';
import type { AxiosResponse } from 'axios';

/** Reads one header from an `AxiosHeaders`, a web `Headers`, or the plain object of a custom adapter. */
export function headerOf(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const bag = headers as Record<string, unknown>;
  const value =
    typeof bag.get === 'function'
      ? bag.get(name)
      : bag[Object.keys(bag).find((key) => key.toLowerCase() === name) ?? name];
  if (value === undefined || value === null || value === false) return undefined;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** The response that an adapter resolved with, or that the error it rejected with carries. */
export function responseIn(settled: unknown): AxiosResponse | undefined {
  const response = (property(settled, 'response') ?? settled) as AxiosResponse | undefined;
  return property(response, 'status') === undefined ? undefined : response;
}

/** Which hop an outcome came from. */
export interface Origin {
  /** True unless it is certain that no redirect was followed. */
  readonly redirected: boolean;
  /** The URL of the last hop, if a redirect was followed and the URL is known. */
  readonly url?: string | undefined;
}
