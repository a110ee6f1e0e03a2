import { concurrencyLimit, createPolicy } from '@ebb/core';
import { startSession } from '@ebb/core/adapter';
import { bucket, type Send, type Subject, type Subjects, url } from './subject.ts';

const nothing: Send = () => undefined;

function session(): Subject {
  const policy = createPolicy();
  const traits = { method: 'GET', url, replayable: true, header: () => undefined };
  const success = { type: 'response', status: 200, header: () => undefined } as const;
  const ebb = (): void => {
    const session = startSession(policy, traits);
    session?.ready();
    session?.judge(success);
  };
  return { bare: nothing, ebb };
}

export const subjects: Subjects = {
  'core, session': session,
  'core, tryAcquire': () => {
    const tokens = bucket();
    return { bare: nothing, ebb: () => tokens.tryAcquire() };
  },
  'core, acquire': () => {
    const tokens = bucket();
    return { bare: () => Promise.resolve(), ebb: () => tokens.acquire() };
  },
  'core, slot': () => {
    const slots = concurrencyLimit({ maxConcurrent: 100 });
    return { bare: nothing, ebb: () => slots.tryAcquire()?.release() };
  },
};
