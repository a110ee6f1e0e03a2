import { expect, test } from 'vitest';
import { readResumeOptions } from './options.ts';

test('the defaults', () => {
  const { policy, ...read } = readResumeOptions({});
  expect(read).toEqual({
    maxResumes: 5,
    idleTimeoutMs: undefined,
    maxEventBytes: 1024 * 1024,
    resumeAtEnd: false,
    isLast: undefined,
    idOf: undefined,
    resumeWith: undefined,
  });
  expect(policy.maxRetries).toBe(5);
});

test.each<[options: object, error: RegExp]>([
  [{ maxResumes: -1 }, /^resumable: maxResumes must be a whole number ≥ 0, got -1$/],
  [{ maxResumes: 0.5 }, /maxResumes must be a whole number/],
  [{ idleTimeoutMs: 0 }, /idleTimeoutMs must be a finite number > 0, got 0/],
  [{ maxEventBytes: Number.NaN }, /maxEventBytes/],
  [{ resumeAtEnd: 1 }, /resumeAtEnd must be true or false, got 1/],
  [{ resumeWith: 'GET' }, /resumeWith must be a function/],
  [{ resumes: 1 }, /resumable has no option "resumes"/],
])('%o is refused', (options, error) => {
  expect(() => readResumeOptions(options)).toThrow(error);
});
