import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { mount as mountPage } from '../../examples/retry-notice/page.ts';
import { type Step, type Upstream, upstream } from '../server.ts';
import { turns, until } from '../until.ts';

/** jsdom has no types of its own. */
interface Jsdom {
  readonly JSDOM: new (html: string) => { readonly window: Window & typeof globalThis };
}
const { JSDOM } = (await import('jsdom' as string)) as Jsdom;
const { window } = new JSDOM('<!doctype html>');
let mount: typeof mountPage;
let server: Upstream;

// The timers of the hook and of ebb are virtual, sockets and the event loop are real.
const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] as const;

beforeAll(async () => {
  vi.stubGlobal('window', window);
  vi.stubGlobal('document', window.document);
  ({ mount } = await import('../../examples/retry-notice/page.ts'));
});
afterAll(() => {
  vi.unstubAllGlobals();
  window.close();
});
beforeEach(() => void vi.useFakeTimers({ toFake: [...toFake] }));
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await server.close();
});

/** The page, and its text as soon as it is the expected one. */
async function open(script: readonly Step[]) {
  server = await upstream(script);
  const container = window.document.createElement('div');
  const root = mount(container, server.url);
  const shows = (text: string) => until(() => container.textContent === text);
  return { container, root, shows };
}

test('a person sees when the request is sent again, second by second, and then the result', async () => {
  const { shows, root, container } = await open([
    { status: 503 },
    { status: 503 },
    { status: 200, body: 'tea' },
  ]);
  await shows('Loading …');
  for (const seconds of [4, 3, 2, 1]) {
    await shows(`Retrying in ${seconds} s`);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  for (const seconds of [8, 7, 6, 5, 4, 3, 2, 1]) {
    await shows(`Retrying in ${seconds} s`);
    expect(container.firstElementChild?.getAttribute('role')).toBe('timer');
    await vi.advanceTimersByTimeAsync(1_000);
  }
  await shows('tea');
  root.unmount();
});

test('the last failure is shown', async () => {
  const { shows, root } = await open([{ status: 503 }]);
  await shows('Retrying in 4 s');
  await vi.advanceTimersByTimeAsync(4_000);
  await shows('Retrying in 8 s');
  await vi.advanceTimersByTimeAsync(8_000);
  await shows('No tea: Error: status 503');
  root.unmount();
});

test('a component that goes away takes its retry and its countdown along', async () => {
  const started = vi.spyOn(globalThis, 'setInterval');
  const cleared = vi.spyOn(globalThis, 'clearInterval');
  const { shows, root } = await open([{ status: 503 }]);
  await shows('Retrying in 4 s');
  const sent = server.seen.length;
  root.unmount();
  await turns(5);
  expect(started).toHaveBeenCalled();
  for (const { value } of started.mock.results) expect(cleared).toHaveBeenCalledWith(value);
  await vi.advanceTimersByTimeAsync(60_000);
  await turns(5);
  expect(server.seen.length).toBe(sent);
});
