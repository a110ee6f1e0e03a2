import { check as core } from '@ebb/core/bucket';

/** A scenario that cannot be run. The message begins with the path of the wrong field. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}

/** Throws a {@link ScenarioError} if the value of a field is wrong. */
export type Check = (path: string, value: unknown) => void;

function show(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value));
}

/** The error for a wrong value. `takes` follows "must be". */
export function wrong(path: string, takes: string, value: unknown): ScenarioError {
  return new ScenarioError(`${path} must be ${takes}, got ${show(value)}`);
}

function unknownField(path: string, parent: string, takes: string): ScenarioError {
  return new ScenarioError(`${path} is not a field; ${parent} takes ${takes}`);
}

/** Calls a function of core that takes the value of a field. Its option errors become errors of that field. */
export function checkAt(path: string, call: () => unknown): void {
  try {
    call();
  } catch (error) {
    throw core.isOptionError(error) ? wrong(path, error.takes, error.given) : error;
  }
}

/** Calls a function of core whose options are the fields of an object. Its option errors become errors of those fields. */
export function checkOptionsAt(path: string, call: () => unknown): void {
  try {
    call();
  } catch (error) {
    if (!core.isOptionError(error)) throw error;
    const { option, takes, given, unknown } = error;
    const field = option.split('.').reduce(joinPath, path);
    throw unknown ? unknownField(field, path, takes) : wrong(field, takes, given);
  }
}

function ofCore(check: core.Check): Check {
  return (path, value) => checkAt(path, () => check(path, value));
}

export const counting: Check = ofCore(core.countingNumber);
export const whole: Check = ofCore(core.wholeNumber);
export const positive: Check = ofCore(core.positive);
export const notNegative: Check = ofCore(core.notNegative);
export const refillRate: Check = ofCore(core.refillRate);
export const capacity: Check = ofCore(core.capacity);
export const flag: Check = ofCore(core.flag);
export const share: Check = (path, value) => {
  if (!(typeof value === 'number' && value >= 0 && value <= 1))
    throw wrong(path, 'a number from 0 to 1', value);
};
export const oneOf = (...words: readonly string[]): Check => ofCore(core.oneOf(...words));

/** An object with these fields. Those whose name begins with `?` are optional. */
export function fields(checks: Readonly<Record<string, Check>>): Check {
  const table = new Map(
    Object.entries(checks).map(([name, check]) => [
      name.replace('?', ''),
      { check, optional: name.startsWith('?') },
    ]),
  );
  return (path, value) => {
    const parent = path || 'a scenario';
    if (!isObject(value)) throw wrong(parent, 'an object', value);
    for (const name of Object.keys(value)) {
      if (!table.has(name)) throw unknownField(joinPath(path, name), parent, [...table.keys()].join(', '));
    }
    for (const [name, { check, optional }] of table) {
      if (value[name] !== undefined || !optional) check(joinPath(path, name), value[name]);
    }
  };
}

/** An object that is no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list whose elements pass a check. */
export function listOf(check: Check): Check {
  return (path, value) => {
    if (!Array.isArray(value)) throw wrong(path, 'a list', value);
    for (const [at, element] of value.entries()) check(`${path}[${at}]`, element);
  };
}

/** The path of a field: `policy.maxRetries`, or `policies["full jitter"]` for a name that is no identifier. */
export function joinPath(path: string, name: string): string {
  if (!/^[\w$]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
