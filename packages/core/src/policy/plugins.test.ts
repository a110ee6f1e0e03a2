import { expect, test, vi } from 'vitest';
import { callTo, limitOf, pluginOf, response } from '../../test/call-with-limits.ts';
import { judge, prepare } from '../../test/steps.ts';
import { throwing } from '../../test/throwing.ts';
import type { BroughtLimit } from './limit.ts';
import { createPolicy } from './policy.ts';

test('hooks of plugins are called in the order of the list', () => {
  const asked: string[] = [];
  const plugins = ['first', 'second'].map((name) =>
    pluginOf({
      started: () => void asked.push(`${name} started`),
      publicHeaders: () => void asked.push(`${name} public`),
      onEvent: ({ type }) => asked.push(`${name} ${type}`),
      ended: (_, reason) => void asked.push(`${name} ${reason}`),
    }),
  );
  const { call } = callTo({ plugins, onEvent: ({ type }) => asked.push(`option ${type}`) });
  expect(prepare(call)).toBeUndefined();
  expect(judge(call, response(200)).retry).toBe(false);
  expect(asked).toEqual([
    ...['started', 'public'].flatMap((hook) => [`first ${hook}`, `second ${hook}`]),
    ...['option', 'first', 'second'].map((name) => `${name} attempt`),
    ...['first', 'second'].map((name) => `${name} success`),
    ...['option', 'first', 'second'].map((name) => `${name} end`),
  ]);
});

test('of several plugins those are told of the end that have begun', async () => {
  const told: string[] = [];
  const plugin = (name: string, started = () => void told.push(`${name} started`)) =>
    pluginOf({ started, ended: (_, reason) => void told.push(`${name} ${reason}`) });
  const fails = plugin('second', throwing(new Error('no')));
  const { call } = callTo({ plugins: [plugin('first'), fails, plugin('third')] });
  await expect(prepare(call)).rejects.toThrow('no');
  expect(told).toEqual(['first started', 'first limited']);
  told.length = 0;
  const refusing = limitOf({ started: () => void fails.started?.(call) });
  const refused = prepare(callTo({ limits: [refusing], plugins: [plugin('first')] }).call);
  await expect(refused).rejects.toThrow('no');
  expect(told).toEqual([]);
});

test('hooks and permits that reject where nothing waits for them are reported', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const rejects = (name: string) => async (): Promise<void> => {
    throw new Error(name);
  };
  const permit = (name: string) => ({ cancel: rejects('cancel'), [name]: rejects(name) });
  const { call } = callTo({
    plugins: ['started', 'ended'].map((name) => pluginOf({ [name]: rejects(name) })),
    limits: [
      limitOf({ started: rejects('limit started') }),
      limitOf({ ended: rejects('limit ended') }),
      ...['settle', 'release'].map((name) => limitOf({ take: () => permit(name) })),
    ],
  });
  prepare(call);
  judge(call, response(200));
  call.permits?.release();
  await new Promise(setImmediate);
  const texts = warn.mock.calls.map(([warning]) => (warning as unknown as Error).message);
  expect(texts.map((text) => text.replace('own failed, and is ignored: ', '')).sort()).toEqual(
    ['started', 'ended', 'limit started', 'limit ended', 'settle', 'release'].sort(),
  );
  warn.mockRestore();
});

test('a list of plugins that changes later does not change the policy', () => {
  const plugins = [pluginOf({ publicHeaders: () => ({ a: '1' }) })];
  const { call } = callTo({ plugins });
  plugins.push(pluginOf({ beforeAttempt: () => ({ b: '2' }) }));
  prepare(call);
  expect(call.headerChanges).toEqual({ a: '1' });
});

test('limits are asked in one order: the throttle, those of the list, slots, tokens, the budget', () => {
  const asked: string[] = [];
  const own = (name: string): { limit: BroughtLimit } => {
    const take = () => void asked.push(name);
    return { limit: { limit: { name, take: take as () => undefined } } };
  };
  const list = [own('first'), own('second')];
  const limits = { budget: own('budget'), bucket: own('bucket'), concurrency: own('concurrency') };
  const { call } = callTo({
    limits: list,
    plugins: [pluginOf({ limits: [own('third')] })],
    ...limits,
    throttle: own('throttle'),
  } as never);
  expect(prepare(call)).toBeUndefined();
  expect(asked).toEqual(['throttle', 'first', 'second', 'third', 'concurrency', 'bucket', 'budget']);
});

test('a plugin may change headers, also at its leisure', async () => {
  const early = pluginOf({ beforeAttempt: () => ({ 'x-a': '1', 'x-b': '1' }) });
  const late = pluginOf({ beforeAttempt: async ({ attempt }) => ({ 'x-b': String(attempt + 1) }) });
  const { call } = callTo({ plugins: [early, late], beforeAttempt: () => ({ 'x-c': '3' }) });
  expect(await prepare(call)).toBe(true);
  expect(call.headerChanges).toEqual({ 'x-c': '3', 'x-a': '1', 'x-b': '2' });
});

test.each<[what: string, options: object, message: string]>([
  ['no list', { plugins: {} }, 'createPolicy: plugins must be a list of plugins'],
  ['no plugin', { plugins: [() => undefined] }, 'createPolicy: plugins[0] must be an object'],
  ['a hook of another name', { plugins: [{ name: 'own', beforeattempt: () => undefined }] }, 'beforeattempt'],
  [
    'an inspector that is none',
    { plugins: [{ name: 'own', inspect: () => undefined }] },
    'plugins[0].inspect',
  ],
  ['a plugin without a name', { plugins: [{}] }, 'plugins[0].name'],
  ['middleware that is none', { plugins: [{ name: 'own', middleware: [1] }] }, 'plugins[0].middleware[0]'],
  ['no list of limits', { limits: {} }, 'createPolicy: limits must be a list of limits'],
  ['a limit without `take`', { limits: [{ name: 'own' }] }, 'createPolicy: limits[0] must be a limit'],
])('%s is an error', (_, options, message) => {
  expect(() => createPolicy(options as never)).toThrow(message);
});
