// Helpers shared by `likeAxiosRetry`, `likeFetchRetry` and `likePRetry`.
import {
  type Check,
  callable,
  devText,
  inDevelopment,
  isPromise,
  warn,
  wholeNumber,
  wrongType,
} from '@ebb/core/internal';

/** A function of a program that was written for the types of another library: those may be narrower. */
export type Loose<Call extends (...args: never[]) => unknown> = {
  bivarianceHack(...args: Parameters<Call>): ReturnType<Call>;
}['bivarianceHack'];

/** An option that cannot be said. `takes` says what can. A library that knows the option takes `null` for its default. */
export function cannot(takes: string | undefined, fits: (value: unknown) => boolean = () => false): Check {
  return (name, value) => {
    if (value !== null && !fits(value)) throw wrongType(name, takes, value);
  };
}

/** A function that decides, and so cannot be waited for. */
export const deciding: Check = (name, value) => {
  callable(name, value);
  const isAsync = Object.prototype.toString.call(value) === '[object AsyncFunction]';
  if (isAsync) throw wrongType(name, AT_ONCE, value);
};

const AT_ONCE = /* @__PURE__ */ devText(
  'a function that returns no promise: what has to be waited for belongs in inspect',
);

/** @throws TypeError for what a function has returned that is not async, and waits all the same */
export function mustBeThere<T>(name: string, said: T): T {
  if (isPromise(said)) {
    Promise.resolve(said).catch(() => undefined);
    throw wrongType(name, AT_ONCE, said);
  }
  return said;
}

/** How many retries: a policy says what has to end an endless number. */
export const checkRetries: Check = (name, value) => value === Infinity || wholeNumber(name, value);

/** The retries of a call that something else ends: a function of the program, or a time. */
export const ENDLESS: number = Number.MAX_SAFE_INTEGER;

export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** A delay as `setTimeout` takes it: what is no number is none, and one that no timer holds is over at once. */
export function asTimer(delayMs: unknown): number {
  const ms = Number(delayMs) || 0;
  return ms > LONGEST_TIMER_MS ? 1 : Math.max(0, ms);
}

const warned = /* @__PURE__ */ new Set<string>();

/** Says once of each library that it does not wait. */
export function warnOfZero(name: string, option: string): void {
  inDevelopment(() => {
    if (warned.has(name)) return;
    warned.add(name);
    warn(`${name} retries after 0 ms, as its model does: ${option} gives a service in trouble time`);
  });
}

const OF_BODY = /* @__PURE__ */ devText(': what needs the body belongs in inspect');

/** An object that throws when a missing property is read: a silent `undefined` would change the decisions of the program. */
export function strict<T extends object>(name: string, has: T, hint: string | undefined = OF_BODY): T {
  return new Proxy(has, {
    get(target, key) {
      if (Reflect.has(target, key) || typeof key === 'symbol' || key === 'then' || key === 'toJSON')
        return Reflect.get(target, key);
      throw new TypeError(`${name} has no ${key}${hint ?? ''}`);
    },
  });
}
