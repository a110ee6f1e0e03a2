import { concurrencyLimit, createPolicy } from '@ebb/core';
import { startCall } from '@ebb/core/adapter';
import { bucket, type Send, type Subject, type Subjects, url } from './subject.ts';

const nothing: Send = () => undefined;

function call(): Subject {
  const policy = createPolicy();
  const traits = { method: 'GET', url, replayable: true, header: () => undefined };
  const success = { type: 'response', status: 200, header: () => undefined } as const;
  const ebb = (): void => {
    const call = startCall(policy, traits);
    call.next();
    call.ended(success);
  };
  return { bare: nothing, ebb };
}

export const subjects: Subjects = {
  'core, call': call,
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
