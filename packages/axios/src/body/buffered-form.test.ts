import { Readable } from 'node:stream';
import { attemptsOf, refreshOn401 } from '@ebb/core';
import axios from 'axios';
import FormDataPackage from 'form-data';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import type { ReceivedRequest } from '../../../../test/server.ts';
import { unavailable } from '../../test/adapters.ts';
import { formOf, sentBody } from '../../test/bodies.ts';
import { clientOf } from '../../test/client.ts';
import { DOWN, UP } from '../../test/steps.ts';
import { formBody } from '../request-body.ts';

describe('a form of the form-data package', () => {
  const forms: [string, () => FormDataPackage][] = [
    ['with fields', () => formOf(['a', 'ü'], ['b', 1], ['c', ''])],
    ['with buffers', () => formOf(['a', Buffer.from('text'), { filename: 'a.txt' }], ['b', 'c'])],
    [
      'whose part has its own header',
      () => formOf(['a', 'b', { header: '--x\r\nA: b\r\n\r\n' }], ['c', 'd']),
    ],
    [
      'with a boundary of its own',
      () => {
        const form = new FormDataPackage();
        form.setBoundary('mine');
        form.append('a', 'b');
        return form;
      },
    ],
  ];
  test.each(forms)('%s is sent again, byte for byte as axios sends it', async (_, make) => {
    const server = await serve(DOWN, DOWN, UP, UP);
    const form = make();
    const { config } = await clientOf({ adapter: 'http' }).put(server.url, form);
    expect(config.data).toBe(form);
    await axios.put(server.url, make(), { adapter: 'http' });
    const [plain, ...ours] = server.seen.map(sentBody).reverse();
    expect(ours).toEqual([plain, plain, plain]);
    // The form was not consumed, so the config can be sent again.
    await clientOf({ adapter: 'http' }).request(config);
    expect(sentBody(server.seen[4] as ReceivedRequest)).toEqual(plain);
  });

  test.each<[story: string, data: unknown]>([
    // Read as text it would be '[object Object]', which has this length.
    ['a stream whose length is known', formOf(['a', Readable.from(['x'.repeat(15)]), { knownLength: 15 }])],
    ['a stream alone', { pipe: () => undefined }],
    ['nothing', undefined],
  ])('with %s is not read ahead', (_, data) => {
    expect(formBody(data)).toBeUndefined();
  });

  test('is streamed if maxRetries is 0', async () => {
    const form = formOf(['a', 'b']);
    const pipe = vi.spyOn(form, 'pipe');
    const server = await serve(UP);
    await clientOf({ adapter: 'http' }, { maxRetries: 0 }).put(server.url, form);
    expect(pipe).toHaveBeenCalled();
  });

  test('is kept for a refresh, which is no retry', async () => {
    const server = await serve({ status: 401 }, UP);
    const plugins = [refreshOn401({ refresh: () => ({ authorization: 'new' }) })];
    const policy = { maxRetries: 0, plugins, trustedOrigins: [new URL(server.url).origin] };
    const { status } = await clientOf({ adapter: 'http' }, policy).put(server.url, formOf(['a', 'b']));
    expect([status, server.seen.length]).toEqual([200, 2]);
    expect(sentBody(server.seen[0] as ReceivedRequest)).toEqual(sentBody(server.seen[1] as ReceivedRequest));
  });

  test('follows formDataHeaderPolicy', async () => {
    const server = await serve(DOWN, UP, DOWN, UP);
    for (const policy of ['legacy', 'content-only'] as const) {
      const form = formOf(['a', 'b']);
      const own = form.getHeaders();
      form.getHeaders = () => ({
        ...own,
        more: 'yes',
        'x-content-type': 'yes',
        'content-length-hint': 'yes',
      });
      await clientOf({ adapter: 'http', formDataHeaderPolicy: policy }).put(server.url, form);
    }
    for (const name of ['more', 'x-content-type', 'content-length-hint'])
      expect(server.seen.map(({ headers }) => headers[name])).toEqual(['yes', 'yes', undefined, undefined]);
  });

  test('that was partly read before is not replayable', async () => {
    const form = formOf(['a', 'b']);
    form.resume();
    const response = await clientOf({ adapter: unavailable }).put('http://upstream/', form, {
      validateStatus: null,
    });
    expect(attemptsOf(response)).toMatchObject([{ reason: 'not-replayable' }]);
  });
});
