import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPolicy } from '@ebb/core';
import fc from 'fast-check';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { build, createServer, type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { streamOf } from '../examples/playground/bucket.ts';
import { runFleet } from '../examples/playground/fleet.ts';
import { fleetFinding, tilesOf } from '../examples/playground/fleet-chart.ts';
import { fromHash, toHash } from '../examples/playground/link.ts';
import { codeOf, retryOptions } from '../examples/playground/policy.ts';
import { REQUESTS, scheduleOf } from '../examples/playground/schedule.ts';
import {
  CHOICE_NAMES,
  CHOICES,
  FLAG_NAMES,
  INITIAL,
  SCALE_NAMES,
  SCALES,
  type Settings,
} from '../examples/playground/settings.ts';
import { launchChromium, noChromium, visit } from './chromium.ts';

const CONFIG = new URL('../examples/playground/vite.config.ts', import.meta.url).pathname;
/** Settings with a fast fleet, for tests of other things. */
const LIGHT: Settings = { ...INITIAL, requestsPerSecond: 50 };
const LIGHT_HASH = `#${toHash(LIGHT)}`;

const anySettings: fc.Arbitrary<Settings> = fc.record(
  Object.fromEntries<fc.Arbitrary<unknown>>([
    ...SCALE_NAMES.map(
      (name) => [name, fc.constantFrom(...(SCALES[name].values as readonly number[]))] as const,
    ),
    ...CHOICE_NAMES.map((name) => [name, fc.constantFrom(...CHOICES[name].map(([value]) => value))] as const),
    ...FLAG_NAMES.map((name) => [name, fc.boolean()] as const),
    ['seed', fc.integer({ min: 1, max: 9_999 })],
  ]),
) as fc.Arbitrary<Settings>;

/** Runs copied programs in another Node process, and returns the policies that they make. */
async function policiesIn(codes: readonly string[]): Promise<unknown> {
  // Programs in this folder can import the packages.
  const directory = mkdtempSync(join(import.meta.dirname, 'node_modules', '.playground-'));
  try {
    for (const [at, code] of codes.entries()) writeFileSync(join(directory, `${at}.mjs`), code);
    const ask = `
      const policies = await Promise.all(${JSON.stringify(codes)}.map(async (_, at) => {
        const { policy } = await import(${JSON.stringify(`${directory}/`)} + at + '.mjs');
        const { maxRetries, attemptTimeoutMs, backoff, budget, bucket } = policy;
        const delayMs = backoff({ retry: 3, previousDelayMs: 200, random: () => 0.5 });
        const { capacity, refillPerSecond } = bucket?.stats() ?? {};
        return { maxRetries, attemptTimeoutMs, delayMs, balance: budget?.balance, capacity, refillPerSecond };
      }));
      console.log(JSON.stringify(policies));`;
    const args = ['--conditions=@ebb/source', '--input-type=module', '--eval', ask];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The expected policy. */
function policyOf(settings: Settings): unknown {
  const { backoff } = createPolicy(retryOptions(settings));
  const { maxRetries, attemptTimeoutMs, budget, reserve, bucket, capacity, refillPerSecond } = settings;
  return {
    maxRetries,
    attemptTimeoutMs,
    delayMs: backoff({ retry: 3, previousDelayMs: 200, random: () => 0.5 }),
    ...(budget && { balance: reserve }),
    ...(bucket && { capacity, refillPerSecond }),
  };
}

describe('what the playground computes', () => {
  test('a link contains all settings', () => {
    fc.assert(
      fc.property(anySettings, (settings) => {
        expect(fromHash(`#${toHash(settings)}`)).toEqual({ settings, wrong: [] });
      }),
    );
    expect(toHash(INITIAL)).toBe('');
  });

  test('unknown settings and values of a link are reported and ignored', () => {
    const { settings, wrong } = fromHash('#rule=nothing&baseMs=77&seed=1.5&toString=1&budget=yes&capMs=1000');
    expect(wrong).toEqual(['rule', 'baseMs', 'seed', 'toString', 'budget']);
    expect(settings).toEqual({ ...INITIAL, capMs: 1_000 });
  });

  test('the code of every rule runs and makes the policy that is shown', async () => {
    const rules = CHOICES.rule.map(([rule]) => rule);
    const all = rules.flatMap((rule): Settings[] => [
      { ...INITIAL, rule },
      { ...INITIAL, rule, maxRetries: 7, budget: true, reserve: 2, bucket: true, nonConforming: 'mark' },
    ]);
    expect(await policiesIn(all.map(codeOf))).toEqual(all.map(policyOf));
  });

  test('every schedule has ordered quantiles and at most maxRetries retries', () => {
    fc.assert(
      fc.property(anySettings, (settings) => {
        const { waits, givesUp, totalMs } = scheduleOf(settings);
        expect(waits.length).toBeLessThanOrEqual(settings.maxRetries);
        if (!givesUp) expect(waits).toHaveLength(settings.maxRetries);
        for (const { drawnMs, p5, p50, p95, mostMs } of waits) {
          expect(drawnMs).toHaveLength(REQUESTS);
          expect([p5, p50, p95, mostMs]).toEqual([p5, p50, p95, mostMs].toSorted((a, b) => a - b));
        }
        expect(totalMs).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 30 },
    );
  });

  test('the bucket accounts for every request, and grants at most capacity + rate · time', async () => {
    await fc.assert(
      fc.asyncProperty(anySettings, async (settings) => {
        const { passages } = await streamOf(settings);
        const { capacity, refillPerSecond, nonConforming } = settings;
        const fates = new Set(passages.map(({ fate }) => fate));
        const allowed = { delay: ['delayed', 'waiting'], reject: ['refused'], mark: ['marked'] }[
          nonConforming
        ];
        for (const fate of fates) expect(['conforming', ...allowed]).toContain(fate);
        expect(Object.keys(passages)).toHaveLength(passages.length);
        const granted = passages.filter(({ fate }) => fate === 'conforming' || fate === 'delayed');
        expect(granted.length).toBeLessThanOrEqual(capacity + refillPerSecond * 8 + 1e-6);
      }),
      { numRuns: 20 },
    );
  });

  test.each([
    ['', 'The service does not recover'],
    ['budget=true', 'The service recovers at once'],
    ['attemptTimeoutMs=5000', 'The service recovers at once'],
    ['budget=true&trouble=brown-out', 'The service recovers'],
  ])('the fleet of the link #%s shows: %s', (hash, finding) => {
    expect(fleetFinding(runFleet(fromHash(hash).settings))).toContain(finding);
  });
});

if (noChromium !== undefined) console.warn(`The playground is not tested in a browser: ${noChromium}.`);
const name = noChromium === undefined ? 'the page' : `the page (SKIPPED: ${noChromium})`;

describe.skipIf(noChromium !== undefined)(name, { timeout: 30_000 }, () => {
  let outDir = '';
  let server: PreviewServer;
  let browser: Browser;
  let address = '';

  beforeAll(async () => {
    outDir = mkdtempSync(join(tmpdir(), 'ebb-playground-'));
    await build({ configFile: CONFIG, logLevel: 'error', build: { outDir, emptyOutDir: true } });
    server = await preview({
      configFile: CONFIG,
      logLevel: 'error',
      build: { outDir },
      preview: { host: '127.0.0.1', port: 0 },
    });
    address = server.resolvedUrls?.local[0] ?? '';
    browser = await launchChromium();
  }, 30_000);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    rmSync(outDir, { recursive: true, force: true });
  });

  /** Opens the page and acts on it. Fails on errors and warnings of the page, and on requests to other hosts. */
  async function onPage(
    hash: string,
    options: BrowserContextOptions,
    act: (page: Page) => Promise<void>,
    url = address,
  ): Promise<void> {
    await visit(browser, url, hash, options, async (page) => {
      await settled(page);
      await act(page);
    });
  }

  /** Waits until the address has the settings and the run of the fleet has ended. */
  async function settled(page: Page): Promise<void> {
    await page.waitForTimeout(200);
    await page.waitForSelector('[data-fleet][aria-busy="false"]');
  }

  const textIn = async (page: Page, selector: string): Promise<string> =>
    (await page.locator(selector).textContent()) ?? '';
  const code = (page: Page): Promise<string> => textIn(page, '[data-code]');
  const figure = async (page: Page, name: string): Promise<string> =>
    (await page.locator(`[data-plot="${name}"] svg`).getAttribute('aria-label')) ?? '';
  const finding = (page: Page, name: string): Promise<string> =>
    textIn(page, `figcaption[data-finding="${name}"]`);
  const settingsOf = (page: Page): Settings => fromHash(new URL(page.url()).hash).settings;

  /** Expects the numbers of the fleet on the page to be those of a run in this process. */
  async function expectFleet(page: Page, settings: Settings): Promise<void> {
    const shown = await page.locator('[data-tiles] data').evaluateAll((tiles) => {
      return tiles.map((tile) => (tile as HTMLDataElement).value);
    });
    const trace = runFleet(settings);
    expect(shown).toEqual(tilesOf(trace).map(({ value }) => String(value)));
    expect(await finding(page, 'fleet')).toBe(fleetFinding(trace));
  }

  test('the fleet runs in a worker, and its numbers are those of the simulator', async () => {
    await onPage('', {}, async (page) => {
      expect(page.workers()).toHaveLength(1);
      await expectFleet(page, INITIAL);
    });
    const hash = 'rule=decorrelatedJitter&budget=true&bucket=true&nonConforming=reject&seed=42&clients=50';
    await onPage(`#${hash}`, {}, (page) => expectFleet(page, fromHash(hash).settings));
  });

  test('changing a rule and a slider by keyboard changes the figure, the code and the address', async () => {
    await onPage(LIGHT_HASH, {}, async (page) => {
      const before = [await figure(page, 'schedule'), await code(page)];
      await page.locator('#rule').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      expect(await code(page)).toContain('backoff: fullJitter({\n    baseMs: 100,\n    capMs: 10_000,\n  })');
      const picked = [await figure(page, 'schedule'), await code(page)];
      for (const [at, text] of picked.entries()) expect(text).not.toBe(before[at]);

      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('baseMs');
      expect(
        await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle),
      ).toBe('solid');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      expect(await code(page)).toContain('    baseMs: 200,\n    capMs: 10_000,\n');
      expect(await textIn(page, 'output[for="baseMs"]')).toBe('200\u00a0ms');
      expect(await page.locator('#baseMs').getAttribute('aria-valuetext')).toBe('200\u00a0ms');
      expect(await figure(page, 'schedule')).not.toBe(picked[0]);

      await settled(page);
      expect(settingsOf(page)).toEqual({ ...LIGHT, rule: 'fullJitter', baseMs: 200 });
      await expectFleet(page, settingsOf(page));
    });
  });

  test('Tab reaches every control', async () => {
    await onPage(`${LIGHT_HASH}&budget=true`, {}, async (page) => {
      const reached = new Set<string>();
      for (let step = 0; step < 60; step += 1) {
        await page.keyboard.press('Tab');
        const id = await page.evaluate(() => {
          const { id = '', name = '', textContent } = (document.activeElement ?? {}) as HTMLInputElement;
          return id || name || (textContent ?? '').trim();
        });
        if (id === 'Reset') break;
        reached.add(id);
      }
      const controls = await page
        .locator('input, select, button, summary, a')
        .evaluateAll((all) =>
          all
            .filter((one) => !(one as HTMLInputElement).disabled)
            .map((one) => one.id || (one as HTMLInputElement).name || (one.textContent ?? '').trim()),
        );
      expect([...reached].sort()).toEqual([...new Set(controls)].filter((id) => id !== 'Reset').sort());
      expect(
        await page
          .locator('input:not([type="radio"]), select')
          .evaluateAll((all) =>
            all.filter((one) => (one as HTMLInputElement).labels?.length !== 1).map((one) => one.id),
          ),
      ).toEqual([]);
    });
  });

  test('the copied code runs', async () => {
    const hash = '#rule=celery&factorMs=500&wholeRange=false&budget=true&reserve=2&bucket=true&capacity=7';
    await onPage(hash, { permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await page.locator('[data-copy="code"]').press('Enter');
      await page.getByText('The code is copied.').waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied.trim()).toBe((await code(page)).trim());
      expect(await policiesIn([copied])).toEqual([policyOf(fromHash(hash).settings)]);
    });
  });

  test('a change of the settings cancels the current run', async () => {
    await onPage(LIGHT_HASH, {}, async (page) => {
      await page.locator('#requestsPerSecond').press('End');
      // Part of the run is done and drawn.
      await page.waitForFunction(() => {
        const { value } = document.querySelector('progress') as HTMLProgressElement;
        return value > 0 && value < 1;
      });
      const [whole, partly] = await page.evaluate(() => {
        const plot = document.querySelector('[data-plot="calls"]') as HTMLElement;
        const line = plot.querySelector('.line.warn') as SVGGraphicsElement;
        return [plot.clientWidth, line.getBBox().width];
      });
      expect(partly).toBeGreaterThan(0);
      expect(partly).toBeLessThan(0.9 * (whole ?? 0));
      await page.locator('#requestsPerSecond').press('Home');
      await settled(page);
      expect(settingsOf(page)).toEqual(LIGHT);
      await expectFleet(page, LIGHT);
    });
  });

  test('a run can be kept beside the next, and played', async () => {
    await onPage(LIGHT_HASH, {}, async (page) => {
      await page.getByText('Keep this run to compare').press('Enter');
      await page.locator('#budget').press('Space');
      await settled(page);
      await expectFleet(page, { ...LIGHT, budget: true });
      const was = tilesOf(runFleet(LIGHT)).map(({ text }) => `was ${text}`);
      expect(await page.locator('[data-tiles] .note').allTextContents()).toEqual(was);
      expect(await page.locator('[data-plot="calls"] .before').count()).toBe(2);

      await page.locator('#fleet-moment').press('Home');
      const moment = (): Promise<string> => textIn(page, 'output[for="fleet-moment"]');
      expect(await moment()).toMatch(/^0\ss: \d+ new requests/);
      await page.getByRole('button', { name: 'Play the run' }).press('Enter');
      await page.getByRole('button', { name: 'Pause the run' }).waitFor();
      await expect.poll(moment).not.toMatch(/^0\ss/);
    });
  });

  test('the bucket delays, rejects or marks, by keyboard', async () => {
    await onPage(LIGHT_HASH, {}, async (page) => {
      expect(await finding(page, 'bucket')).toContain('requests wait');
      await page.locator('input[name="nonConforming"]:checked').press('ArrowRight');
      await expect.poll(() => finding(page, 'bucket')).toContain('are refused');
      await page.locator('input[name="nonConforming"]:checked').press('ArrowRight');
      await expect.poll(() => finding(page, 'bucket')).toContain('are sent with a mark');
      expect(await figure(page, 'stream')).toContain('sent with a mark');
    });
  });

  test('an invalid seed shows a message beside the control, and changes nothing', async () => {
    await onPage('#rule=nothing&seed=5&requestsPerSecond=50', {}, async (page) => {
      expect(await textIn(page, '#notice')).toContain('rule');
      await page.locator('#seed').fill('1.5');
      expect(await page.locator('#seed').getAttribute('aria-invalid')).toBe('true');
      expect(await textIn(page, '#seed-wrong')).toBe('A whole number from 1 to 9999');
      await settled(page);
      await expectFleet(page, { ...LIGHT, seed: 5 });
      await page.locator('#seed').fill('6');
      expect(await textIn(page, '#seed-wrong')).toBe('');
      await settled(page);
      await expectFleet(page, { ...LIGHT, seed: 6 });
    });
  });

  /** The least contrast of a text to its background, and that text. */
  const leastContrast = (page: Page): Promise<{ ratio: number; text: string }> =>
    page.evaluate(() => {
      const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      const luminance = (colour: string): number => {
        if (canvas === null) return 0;
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((byte) => {
          const share = byte / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const behind = (element: Element | null): string => {
        if (element === null) return 'white';
        const { backgroundColor } = getComputedStyle(element);
        return backgroundColor === 'rgba(0, 0, 0, 0)' ? behind(element.parentElement) : backgroundColor;
      };
      let least = { ratio: 21, text: '' };
      for (const element of document.querySelectorAll(
        'h1, h1 span, h2, p, a, label, output, dt, dd, button, text, code, td, th, select',
      )) {
        if (element.matches(':disabled') || (element.textContent ?? '').trim() === '') continue;
        const [one, other] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
        const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (ratio < least.ratio) least = { ratio, text: element.textContent ?? '' };
      }
      return least;
    });

  const busy = '#rule=binaryExponential&maxRetries=12&budget=true&bucket=true&requestsPerSecond=100';

  test.each([
    ['light', 360, LIGHT_HASH],
    ['dark', 360, busy],
    ['light', 1_280, busy],
    ['dark', 1_280, LIGHT_HASH],
  ] as const)(
    '%s at %i px%s: texts are legible, nothing is cut, and the page does not shift',
    async (colorScheme, width, hash) => {
      await onPage(hash, { colorScheme, viewport: { width, height: 780 } }, async (page) => {
        const { wide, outside } = await page.evaluate(() => ({
          wide: document.documentElement.scrollWidth,
          outside: [...document.querySelectorAll('main *:not(svg *)')]
            .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
            .map((element) => element.outerHTML.slice(0, 80)),
        }));
        expect({ wide, outside }).toEqual({ wide: width, outside: [] });
        expect((await leastContrast(page)).ratio).toBeGreaterThan(4.5);
        const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        expect(background).toBe(colorScheme === 'dark' ? 'rgb(15, 19, 23)' : 'rgb(251, 251, 249)');
        const shift = await page.evaluate(
          () =>
            new Promise<number>((resolve) => {
              new PerformanceObserver((list) => {
                resolve(
                  list
                    .getEntries()
                    .reduce((sum, entry) => sum + (entry as unknown as { value: number }).value, 0),
                );
              }).observe({ type: 'layout-shift', buffered: true });
              setTimeout(() => resolve(0), 300);
            }),
        );
        expect(shift).toBeLessThan(0.02);
      });
    },
  );

  test('the page also works from the development server', async () => {
    const dev = await createServer({
      configFile: CONFIG,
      logLevel: 'error',
      server: { port: 0 },
    });
    await dev.listen();
    try {
      const url = dev.resolvedUrls?.local[0] ?? '';
      await onPage(LIGHT_HASH, {}, (page) => expectFleet(page, LIGHT), url);
    } finally {
      await dev.close();
    }
  });
});
