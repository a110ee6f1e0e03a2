import { createReadStream } from 'node:fs';
import { tokenBucket } from '@ebb/core';
import FormDataPackage from 'form-data';
import { expect, test, vi } from 'vitest';
import { ok } from '../../test/adapters.ts';
import { clientOf, errorOf } from '../../test/client.ts';

test('a form whose file cannot be opened ends its wait with that error', async () => {
  const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.001, initialTokens: 0 });
  const adapter = vi.fn(ok);
  const data = new FormDataPackage();
  data.append('file', createReadStream('/missing/file'), { filename: 'a', knownLength: 1 });
  const error = await errorOf(clientOf({ adapter }, { bucket }).put('/', data));
  expect(error).toMatchObject({ code: 'ENOENT' });
  expect([bucket.stats().waiting, adapter.mock.calls.length]).toEqual([0, 0]);
});
