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

/** Lets promises settle that need no timer. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await undefined;
}

/** Asserts inside callbacks and promises, which would swallow the error: the current step throws it. */
export class Faults {
  readonly #faults: unknown[] = [];

  check(assert: () => void): void {
    try {
      assert();
    } catch (fault) {
      this.#faults.push(fault);
    }
  }

  throw(): void {
    if (this.#faults.length > 0) throw this.#faults[0];
  }
}
