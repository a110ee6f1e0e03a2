import { suite } from '@ebb/testing';
import { describe, test } from 'vitest';
import { clients } from './clients.ts';
import { timersLeft } from './traits.ts';

// The entry for browsers, over the sockets of Node: see vitest.web.config.ts.
suite(
  { describe, test },
  {
    name: 'fetch, web entry',
    client: clients.fetch as NonNullable<typeof clients.fetch>,
    // They do not say at which hop a request has failed.
    does: ['hidesRefusals'],
    differs: timersLeft,
  },
);
