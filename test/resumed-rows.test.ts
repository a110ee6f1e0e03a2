import { createFetch } from '@ebb/fetch';
import { resumable } from '@ebb/resume/fetch';
import { type Runner, suite } from '@ebb/testing';
import { describe, test } from 'vitest';
import { clientOf } from './fetch-client.ts';
import { traits } from './traits.ts';

// Those rows of the suite that only a client with resuming can pass. resuming.test.ts has them all, for each client.

const onlyBroken: Runner['test'] = (name, run) => / breaks? off/.test(name) && test(name, run);

suite(
  { describe, test: Object.assign(onlyBroken, { skip: () => undefined }) },
  {
    ...traits.fetch,
    name: 'fetch with resuming, over sockets',
    does: ['resumes', 'resumesStreams'],
    client: (policy) => clientOf(resumable(createFetch(policy), { policy })),
  },
);
