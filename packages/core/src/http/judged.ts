import type { Judgement, Responded } from './outcome.ts';

/** The same response with a judgement. */
export function withJudgement(outcome: Responded, judgement: Judgement): Responded {
  const { type, status, redirected, url } = outcome;
  return { type, status, redirected, url, judgement, header: (name) => outcome.header(name) };
}
