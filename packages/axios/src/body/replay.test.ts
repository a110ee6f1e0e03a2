import { createServer } from 'node:net';
import { Readable, Transform } from 'node:stream';
import { attemptsOf, HookError, type PolicyOptions } from '@ebb/core';
import axios, { type AxiosAdapter, type AxiosRequestConfig } from 'axios';
import FormDataPackage from 'form-data';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import type { Seen, Step } from '../../../../test/server.ts';
import { atOnce, clientOf, errorOf } from '../../test/client.ts';
import { ebbInterceptor } from '../index.ts';

const DOWN: Step = { status: 503, body: 'down' };
const BUSY: Step = { status: 429, body: 'busy' };
const UP: Step = { status: 200, body: 'up' };

/** A body and the headers that tell of it. */
function bodyOf({ body, headers }: Seen) {
  // A boundary is drawn anew for each form, and by fetch for each attempt.
  const boundary = /(?:^|\n)--(\S+)--\s*$/.exec(body)?.[1] ?? 'no boundary';
  return {
    body: body.replaceAll(boundary, 'BOUNDARY'),
    type: headers['content-type']?.replaceAll(boundary, 'BOUNDARY'),
    length: headers['content-length'],
  };
}

const webStream = (text: string) => new Blob([text]).stream();

function formOf(...parts: [name: string, value: unknown, options?: FormDataPackage.AppendOptions][]) {
  const form = new FormDataPackage();
  for (const [name, value, options] of parts) form.append(name, value, options);
  return form;
}

function nativeForm(): FormData {
  const form = new FormData();
  form.set('field', 'välue');
  form.set('file', new Blob(['text'], { type: 'text/plain' }), 'a.txt');
  return form;
}

const BYTES = new TextEncoder().encode('text');

describe.each(['http', 'fetch'])('over the %s adapter', (adapter) => {
  test.each<[what: string, make: () => unknown, config?: AxiosRequestConfig]>([
    ['nothing', () => undefined],
    ['null', () => null],
    ['a string', () => 'text'],
    ['an empty string', () => ''],
    ['an object', () => ({ a: 'ü' })],
    ['a Buffer', () => Buffer.from('text')],
    ['a typed array', () => BYTES.slice()],
    ['an ArrayBuffer', () => BYTES.slice().buffer],
    ['URLSearchParams', () => new URLSearchParams({ a: '1 2' })],
    ['a Blob', () => new Blob(['text'], { type: 'text/plain' })],
    ['a File', () => new File(['text'], 'a.txt', { type: 'text/plain' })],
    ['FormData', nativeForm],
    ['FormData with a header', nativeForm, { headers: { 'content-type': 'multipart/form-data' } }],
  ])('%s is sent again as it was, and as axios sends it', async (_, make, config = {}) => {
    const server = await serve(DOWN, DOWN, UP, UP);
    const data = make();
    const response = await clientOf({ adapter, ...config }).put(server.url, data);
    expect(response.data).toBe('up');
    await axios.put(server.url, make(), { adapter, ...config });
    const [plain, ...ours] = server.seen.map(bodyOf).reverse();
    expect(ours).toEqual([plain, plain, plain]);
  });

  const once: [what: string, adapters: string, make: () => unknown][] = [
    ['a Node stream', 'http, fetch', () => Readable.from(['te', 'xt'])],
    ['a web stream', 'fetch', () => webStream('text')],
    ['a form with a stream in it', 'http', () => formOf(['a', 'b'], ['file', Readable.from(['text'])])],
    [
      'a form with a stream of a known length in it',
      'http',
      () => formOf(['file', Readable.from(['text']), { knownLength: 4, filename: 'a' }]),
    ],
    [
      'a form that does not know how long it is',
      'http',
      () => formOf(['file', Object.assign(Buffer.from('text'), { path: 'a' })]),
    ],
  ];
  const mine = once.filter(([, adapters]) => adapters.includes(adapter));
  test.each(mine)('%s is sent once, and never empty', async (_, __, make) => {
    for (const step of [DOWN, BUSY]) {
      const server = await serve(step, UP);
      const error = await errorOf(clientOf({ adapter }).put(server.url, make()));
      expect(attemptsOf(error)).toMatchObject([{ reason: 'not-replayable' }]);
      expect(error.response?.data).toBe((step as { body: string }).body);
      expect(server.seen.map(({ body }) => body)).toEqual([expect.stringContaining('text')]);
    }
  });

  test('a function makes the body of each attempt', async () => {
    const server = await serve(DOWN, DOWN, UP);
    let made = 0;
    const data = () => {
      made += 1;
      const text = 'x'.repeat(made);
      return adapter === 'http' ? Readable.from([text]) : webStream(text);
    };
    const { config } = await clientOf({ adapter }).put(server.url, data, { headers: { a: 'b' } });
    expect(server.seen.map(({ body }) => body)).toEqual(['x', 'xx', 'xxx']);
    expect(server.seen.map(({ headers }) => headers.a)).toEqual(['b', 'b', 'b']);
    expect([made, config.data]).toEqual([3, data]);
  });

  test('what a function makes goes through the transforms, each once, with a length of its own', async () => {
    const server = await serve(DOWN, DOWN, UP);
    let made = 0;
    const { config } = await clientOf({ adapter }).put(server.url, async () => {
      made += 1;
      return { made: 'x'.repeat(made) };
    });
    expect(server.seen.map(bodyOf)).toEqual(
      ['x', 'xx', 'xxx'].map((made) => {
        const body = JSON.stringify({ made });
        return { body, type: 'application/json', length: String(body.length) };
      }),
    );
    expect(config.transformRequest).toEqual(axios.defaults.transformRequest);
  });
});

describe('forms of the form-data package', () => {
  const forms: [string, () => FormDataPackage][] = [
    ['of fields', () => formOf(['a', 'ü'], ['b', 1], ['c', ''])],
    ['of buffers', () => formOf(['a', Buffer.from('text'), { filename: 'a.txt' }], ['b', 'c'])],
    [
      'with a header of a part’s own',
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
  test.each(forms)('%s are sent again, byte for byte as axios sends them', async (_, make) => {
    const server = await serve(DOWN, DOWN, UP, UP);
    const form = make();
    const { config } = await clientOf({ adapter: 'http' }).put(server.url, form);
    expect(config.data).toBe(form);
    await axios.put(server.url, make(), { adapter: 'http' });
    const [plain, ...ours] = server.seen.map(bodyOf).reverse();
    expect(ours).toEqual([plain, plain, plain]);
    // The form was not used up, so that the config can be sent again.
    await clientOf({ adapter: 'http' }).request(config);
    expect(bodyOf(server.seen[4] as Seen)).toEqual(plain);
  });

  test('putForm is sent again', async () => {
    const server = await serve(DOWN, UP);
    await clientOf({ adapter: 'http' }).putForm(server.url, { a: 'b' });
    expect(bodyOf(server.seen[1] as Seen)).toEqual(bodyOf(server.seen[0] as Seen));
    expect(server.seen[1]?.body).toContain('name="a"\r\n\r\nb\r\n');
  });

  test('are streamed as ever where nothing is retried', async () => {
    const form = formOf(['a', 'b']);
    const pipe = vi.spyOn(form, 'pipe');
    const server = await serve(UP);
    await clientOf({ adapter: 'http' }, { maxRetries: 0 }).put(server.url, form);
    expect(pipe).toHaveBeenCalled();
  });

  test('keep to formDataHeaderPolicy', async () => {
    const server = await serve(DOWN, UP, DOWN, UP);
    for (const policy of ['legacy', 'content-only'] as const) {
      const form = formOf(['a', 'b']);
      const own = form.getHeaders();
      form.getHeaders = () => ({ ...own, more: 'yes' });
      await clientOf({ adapter: 'http', formDataHeaderPolicy: policy }).put(server.url, form);
    }
    expect(server.seen.map(({ headers }) => headers.more)).toEqual(['yes', 'yes', undefined, undefined]);
  });

  test('that were read before are not sent as less than they are', async () => {
    const form = formOf(['a', 'b']);
    form.resume();
    const adapter = vi.fn<AxiosAdapter>(async (config) => ({
      status: 503,
      statusText: '',
      data: '',
      headers: {},
      config,
    }));
    const response = await clientOf({ adapter }).put('http://upstream/', form, { validateStatus: null });
    expect(attemptsOf(response)).toMatchObject([{ reason: 'not-replayable' }]);
  });
});

test.each<[string, () => unknown, boolean]>([
  ['nothing', () => undefined, true],
  ['bytes', () => BYTES.slice(), true],
  ['a form', () => formOf(['a', 'b']), true],
  ['a function', () => () => 'text', true],
  ['a stream', () => Readable.from(['text']), false],
])('a policy may ask before the first attempt whether %s can be sent again', async (_, make, expected) => {
  const server = await serve(UP);
  const asked: boolean[] = [];
  const onEvent: PolicyOptions['onEvent'] = ({ type, request }) => {
    if (type === 'attempt') asked.push(request.replayable);
  };
  await clientOf({ adapter: 'http' }, { onEvent }).put(server.url, make());
  expect(asked).toEqual([expected]);
});

describe('with a custom adapter', () => {
  const down: AxiosAdapter = async (config) => ({
    status: 503,
    statusText: '',
    data: '',
    headers: {},
    config,
  });
  test.each<[string, data: unknown, attempts: number]>([
    ['an async iterator is sent once', (async function* () {})(), 1],
    ['an iterator is sent once', (function* () {})(), 1],
    ['an object of somebody’s own is sent again', new Map(), 2],
  ])('%s', async (_, data, attempts) => {
    const client = clientOf({ adapter: down, transformRequest: [] }, { ...atOnce, maxRetries: 1 });
    const response = await client.put('/', data, { validateStatus: null });
    expect(attemptsOf(response)).toHaveLength(attempts);
  });

  test('a buffer that was moved away in the meantime is not sent empty', async () => {
    const data = BYTES.slice().buffer;
    const adapter: AxiosAdapter = async (config) => {
      structuredClone(data, { transfer: [data] });
      return down(config);
    };
    const response = await clientOf({ adapter }).put('/', data, { validateStatus: null });
    expect(attemptsOf(response)).toMatchObject([{ reason: 'not-replayable' }]);
  });
});

describe('a function in the place of a body', () => {
  test('is not shown to the transforms; what it makes is, with its headers', async () => {
    const server = await serve(DOWN, UP);
    const shown: unknown[] = [];
    const client = clientOf({
      adapter: 'http',
      transformRequest: [
        (data, headers) => {
          shown.push(typeof data);
          headers.setContentType('text/special', false);
          return data.pipe(new Transform({ transform: (part, _, done) => done(null, `${part}!`) }));
        },
      ],
    });
    await client.put(server.url, () => Readable.from(['text']));
    expect(shown).toEqual(['object', 'object']);
    expect(server.seen.map(bodyOf)).toEqual([
      { body: 'text!', type: 'text/special', length: undefined },
      { body: 'text!', type: 'text/special', length: undefined },
    ]);
  });

  test('keeps the type that the caller gave, and gets axios’s guess where there is none', async () => {
    const server = await serve(UP);
    const client = clientOf({ adapter: 'http' });
    await client.post(server.url, () => '{}', { headers: { 'Content-Type': 'application/json' } });
    await client.post(server.url, () => 'a=b');
    await client.post(server.url, 'a=b');
    await client.delete(server.url, { data: () => 'a=b' });
    await client.delete(server.url, { data: 'a=b' });
    const types = server.seen.map(({ headers }) => headers['content-type']);
    const guess = 'application/x-www-form-urlencoded';
    expect(types).toEqual(['application/json', guess, guess, undefined, undefined]);
  });

  test('may be replaced by an interceptor that runs later', async () => {
    const server = await serve(UP);
    const client = axios.create();
    client.interceptors.request.use((config) => Object.assign(config, { data: { a: 1 } }));
    client.interceptors.request.use(ebbInterceptor(atOnce));
    await client.put(server.url, () => expect.fail('was called'));
    expect(server.seen.map(bodyOf)).toMatchObject([{ body: '{"a":1}', type: 'application/json' }]);
  });

  test('may be replaced by another function, but not come from an interceptor that runs later', async () => {
    const server = await serve(UP);
    const client = axios.create();
    client.interceptors.request.use((config) => Object.assign(config, { data: () => 'other' }));
    client.interceptors.request.use(ebbInterceptor(atOnce));
    await client.put(server.url, () => expect.fail('was called'));
    expect(server.seen.map(({ body }) => body)).toEqual(['other']);
    const error = await errorOf(client.put(server.url, 'text'));
    expect(error.message).toBe('data: a body function must be set before ebb’s interceptor runs');
    expect(server.seen).toHaveLength(1);
  });

  test('can be sent again with the config that came back', async () => {
    const server = await serve(UP);
    const client = clientOf({ adapter: 'http' });
    const { config } = await client.put(server.url, () => ({ a: 1 }));
    await client.request(config);
    expect(bodyOf(server.seen[1] as Seen)).toEqual(bodyOf(server.seen[0] as Seen));
  });

  test('that throws rejects the request, by name', async () => {
    const cause = new Error('no such file');
    const throws = async () => {
      throw cause;
    };
    const server = await serve(UP);
    const error = await errorOf(clientOf({}).put(server.url, throws));
    expect(error).toBeInstanceOf(HookError);
    expect(error).toMatchObject({ hook: 'data', cause });
    expect(server.seen).toEqual([]);
  });

  test('that gives the same stream twice is told so, and nothing empty is sent', async () => {
    const server = await serve(DOWN, UP);
    const stream = Readable.from(['text']);
    const error = await errorOf(clientOf({ adapter: 'http' }).put(server.url, () => stream));
    expect(error.message).toBe('data failed: it returned the same stream twice');
    expect(server.seen.map(({ body }) => body)).toEqual(['text']);
  });

  test('has what it made closed where nobody read it', async () => {
    const port = await new Promise<number>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address() as { port: number };
        server.close(() => resolve(port));
      });
    });
    const made: Readable[] = [];
    const make = () => made[made.push(new Readable({ read: () => undefined })) - 1];
    await errorOf(
      clientOf({ adapter: 'http' }, { ...atOnce, maxRetries: 2 }).put(`http://127.0.0.1:${port}/`, make),
    );
    expect(made.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
  });
});
