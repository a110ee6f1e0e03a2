// Random histories, which properties play.
import fc from 'fast-check';

/** A kind of step, with what is drawn for it: the greater its weight, the more often it comes. */
export function step<K extends string, T extends object>(
  weight: number,
  kind: K,
  fields: { [P in keyof T]: fc.Arbitrary<T[P]> },
): { weight: number; arbitrary: fc.Arbitrary<{ kind: K } & T> } {
  return { weight, arbitrary: fc.record(fields).map((drawn) => ({ kind, ...(drawn as T) })) };
}

export type StepOf<A> = A extends fc.Arbitrary<infer S> ? S : never;
