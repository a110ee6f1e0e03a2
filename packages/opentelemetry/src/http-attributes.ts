import type { EbbEvent } from '@ebb/core';
import type { Attributes } from '@opentelemetry/api';

type Request = EbbEvent['request'];
export type Outcome = Extract<EbbEvent, { type: 'retry' }>['outcome'];

/** Methods that may be a span name. Others could be any number of names (OpenTelemetry, HTTP semantic conventions). */
const METHODS: ReadonlySet<string> = new Set(
  'GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH QUERY'.split(' '),
);

/** False for a call of core's `retry`, whose request has no URL. */
export function isHttp({ url }: Request): boolean {
  return url !== '';
}

/** The name of an attempt's span. */
export function spanNameOf(request: Request): string {
  if (!isHttp(request)) return 'ebb.attempt';
  const method = request.method.toUpperCase();
  return METHODS.has(method) ? method : 'HTTP';
}

/**
 * The method and the server of a request. Nothing else of a URL is reported: its credentials, its query and often its path
 * may be secrets, and a path has too many values for a metric.
 */
export function requestAttributes(request: Request): Attributes {
  if (!isHttp(request)) return {};
  const { url } = request;
  const method = request.method.toUpperCase();
  return { 'http.request.method': METHODS.has(method) ? method : '_OTHER', ...serverOf(url) };
}

/** The server of a URL; nothing if the URL is relative, or not one of HTTP. */
function serverOf(url: string): Attributes {
  const parsed = parse(url);
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) return {};
  const port = parsed.port === '' ? (parsed.protocol === 'https:' ? 443 : 80) : Number(parsed.port);
  return { 'server.address': parsed.hostname.replace(/^\[(.*)\]$/, '$1'), 'server.port': port };
}

function parse(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

/** The status and the error of an outcome. The result of a function is a response of status 0, which is not reported. */
export function outcomeAttributes(outcome: Outcome): Attributes {
  const error = errorTypeOf(outcome);
  return {
    ...(outcome.type === 'response' && outcome.status > 0 && { 'http.response.status_code': outcome.status }),
    ...(error !== undefined && { 'error.type': error }),
  };
}

/** The status of a response from 400, the code or the kind of a failure; `undefined` for a good response. */
export function errorTypeOf(outcome: Outcome): string | undefined {
  if (outcome.type === 'response') return outcome.status >= 400 ? String(outcome.status) : undefined;
  const { kind, code } = outcome;
  // An abort may have any error as its reason.
  return kind !== 'aborted' && code !== undefined && CODE.test(code) ? code : kind;
}

/** The codes of Node, undici and axios. Names of errors and codes of others could be any number of values. */
const CODE = /^(E[A-Z]{3,20}|EAI_[A-Z]{3,20}|(UND_)?ERR_[A-Z0-9_]{3,40})$/;
