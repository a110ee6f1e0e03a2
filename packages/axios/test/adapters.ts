import { type AxiosAdapter, AxiosError, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { type Mock, vi } from 'vitest';

/** An empty response, with what a test changes in it. */
export function responseTo(
  config: InternalAxiosRequestConfig,
  response: Partial<AxiosResponse> = {},
): AxiosResponse {
  return { status: 200, statusText: '', data: '', headers: {}, config, ...response };
}

/** An adapter that resolves with a 200. */
export const ok: AxiosAdapter = async (config) => responseTo(config);

/** An adapter that resolves with a 503, whatever `validateStatus` says. */
export const unavailable: AxiosAdapter = async (config) => responseTo(config, { status: 503 });

/** An adapter that responds with these statuses one after the other and repeats the last; it rejects as axios's own do. */
export function statuses(...script: number[]): Mock<AxiosAdapter> {
  let next = 0;
  return vi.fn<AxiosAdapter>(async (config) => {
    const status = script[Math.min(next++, script.length - 1)] ?? 200;
    const response = responseTo(config, { status, data: 'text' });
    if (!config.validateStatus || config.validateStatus(status)) return response;
    throw new AxiosError(`status ${status}`, 'ERR_BAD_RESPONSE', config, null, response);
  });
}
