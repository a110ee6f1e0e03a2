/** A scenario that cannot be run. The message begins with the path of the field that is wrong. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}

/** Says what is wrong with a field, by throwing a {@link ScenarioError}, or nothing. */
export type Check = (path: string, value: unknown) => void;

function show(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value));
}

/** The error for a field that is not what it takes. */
export function wrong(path: string, takes: string, value: unknown): ScenarioError {
  return new ScenarioError(`${path} takes ${takes}, and was given ${show(value)}`);
}

function number(takes: string, fits: (value: number) => boolean): Check {
  return (path, value) => {
    if (typeof value !== 'number' || !fits(value)) throw wrong(path, takes, value);
  };
}

export const counting: Check = number('a whole number from 1', (n) => Number.isSafeInteger(n) && n >= 1);
export const whole: Check = number('a whole number from 0', (n) => Number.isSafeInteger(n) && n >= 0);
export const positive: Check = number('a finite number above 0', (n) => Number.isFinite(n) && n > 0);
export const notNegative: Check = number('a finite number from 0', (n) => Number.isFinite(n) && n >= 0);
/** A rate of tokens, or a number of them. Beyond it, the arithmetic of core is off by more than a token. */
export const billion: Check = number('a number above 0 and at most 1000000000', (n) => n > 0 && n <= 1e9);
export const share: Check = number('a number from 0 to 1', (n) => n >= 0 && n <= 1);

export const flag: Check = (path, value) => {
  if (typeof value !== 'boolean') throw wrong(path, 'true or false', value);
};

export function oneOf(...words: readonly string[]): Check {
  const takes = words.map((word) => JSON.stringify(word)).join(' or ');
  return (path, value) => {
    if (typeof value !== 'string' || !words.includes(value)) throw wrong(path, takes, value);
  };
}

/** Every field of an object by its check; those with a name that begins with `?` may be left out. */
export function fields(checks: Readonly<Record<string, Check>>): Check {
  const table = new Map(
    Object.entries(checks).map(([name, check]) => [
      name.replace('?', ''),
      { check, optional: name.startsWith('?') },
    ]),
  );
  return (path, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw wrong(path === '' ? 'a scenario' : path, 'an object', value);
    }
    const given = value as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(given)) {
      if (table.has(name)) continue;
      const takes = [...table.keys()].join(', ');
      throw new ScenarioError(`${joined(path, name)} is not a field; ${path || 'a scenario'} takes ${takes}`);
    }
    for (const [name, { check, optional }] of table) {
      if (given[name] !== undefined || !optional) check(joined(path, name), given[name]);
    }
  };
}

/** Every element of a list. */
export function listOf(check: Check): Check {
  return (path, value) => {
    if (!Array.isArray(value)) throw wrong(path, 'a list', value);
    for (const [at, element] of value.entries()) check(`${path}[${at}]`, element);
  };
}

/** The path of a field: `policy.maxRetries`, or `policies["full jitter"]` for a name with other signs in it. */
export function joined(path: string, name: string): string {
  if (!/^[\w$]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
