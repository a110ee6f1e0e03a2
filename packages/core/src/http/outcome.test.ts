import { expect, test } from 'vitest';
import { type ResponseOutcome, withAdvice } from './outcome.ts';

test('a judged response is the same otherwise', () => {
  class Answer {
    readonly type = 'response';
    readonly status = 503;
    readonly redirected = true;
    readonly url = 'http://a.test/';
    readonly #age = '5';
    header(name: string): string | undefined {
      return name === 'age' ? this.#age : undefined;
    }
  }
  const answer: ResponseOutcome = new Answer();
  const advice = { verdict: 'final' } as const;
  const { header, ...fields } = withAdvice(answer, advice);
  const { type, status, redirected, url } = answer;
  expect(fields).toEqual({ type, status, redirected, url, advice });
  expect([header('age'), header('date')]).toEqual(['5', undefined]);
});
