import { devText } from '#dev-text';
import { type Check, must } from '../../base/options.ts';

/** The deadline header that services of gRPC share, with a unit in its value. */
const GRPC = 'grpc-timeout';

/** Milliseconds of each unit of gRPC. */
const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** gRPC allows eight digits. */
const MOST_DIGITS = 99_999_999;

/** The field that Envoy sets and reads, in milliseconds. */
export const ENVOY = 'x-envoy-expected-rq-timeout-ms';

/** A client with this header in its requests retries them. */
export const RETRIES_HEADER = 'x-caller-retries';

/** The name of a header. */
export const checkHeader: Check = (name, value) =>
  must(
    name,
    devText('the name of a header'),
    value,
    typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value),
  );

/** The value of a header for a time. Rounded down: the server must not end later than its client. */
export function timeText(header: string, leftMs: number): string {
  const wholeMs = Math.floor(leftMs);
  if (header.toLowerCase() !== GRPC) return String(wholeMs);
  if (wholeMs <= MOST_DIGITS) return `${wholeMs}m`;
  return `${Math.min(MOST_DIGITS, Math.floor(leftMs / 1_000))}S`;
}

/** The time in a header, in milliseconds; `undefined` for anything else. */
export function timeIn(header: string, text: string | undefined): number | undefined {
  const isGrpc = header.toLowerCase() === GRPC;
  const [, digits, unit = 'm'] = (isGrpc ? /^(\d{1,8})([HMSmun])$/ : /^(\d{1,15})$/).exec(text ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits) * (UNITS[unit] as number);
}
