import { suite } from '@ebb/core/testing/suite';
import { describe, test } from 'vitest';
import { clients } from './clients.ts';

// The entry for browsers, over the sockets of Node: see vitest.web.config.ts.
suite(
  { describe, test },
  {
    name: 'fetch, web entry',
    client: clients.fetch as NonNullable<typeof clients.fetch>,
    skips: {
      'a refused connection returns its token to the bucket':
        'browsers do not say whether the first hop failed',
    },
  },
);
