import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { noChromium } from '../chromium.ts';
import { visitor } from './browser.ts';
import { htmls } from './built.ts';

if (noChromium !== undefined) console.warn(`The site is not tested in a browser: ${noChromium}.`);

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Axe {
  run(options: RunOptions): Promise<AxeResults>;
}

/** What axe finds on a page: the rule, and the elements. */
async function findings(page: Page): Promise<string[]> {
  // The switch between light and dark has its name once the page is alive.
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLElement>('.VPSwitchAppearance')].every(({ title }) => title !== ''),
  );
  await page.evaluate(axe);
  // Of what passes only the rules, which takes half of the time.
  const { violations, passes } = await page.evaluate(() =>
    (globalThis as unknown as { axe: Axe }).axe.run({ resultTypes: ['violations'] }),
  );
  expect(passes.length).toBeGreaterThan(10);
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  );
}

/** Pages of each kind, with a text that each of them has. */
const PAGES = [
  ['index.html', 'npm install @ebb/core @ebb/fetch'],
  ['guide/retry.html', 'Retry'],
  ['sdks.html', 'One layer retries'],
  ['figures.html', 'A request that succeeds'],
  ['coming-from.html', 'The defaults side by side'],
  ['packages/core.html', 'memorystore({ maximumBackoffMs = 64_000, jitterMs = 1_000 })'],
  ['reference/valkey.html', 'Default a fifth of refillPerSecond, rounded up'],
  ['reference/index.html', '@ebb/undici/register'],
] as const;

const withDiagrams = [...htmls].filter(([, html]) => html.includes('class="diagram"')).map(([path]) => path);

describe.skipIf(noChromium !== undefined)(
  `in Chromium${noChromium === undefined ? '' : ` (SKIPPED: ${noChromium})`}`,
  () => {
    const visit = visitor();

    describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
      test.concurrent.each(PAGES)('%s shows its text, without findings of axe', async (path, text) => {
        await visit(path, { colorScheme, reducedMotion: 'reduce' }, async (page) => {
          const isDark = await page.evaluate(() => document.documentElement.classList.contains('dark'));
          expect(isDark).toBe(colorScheme === 'dark');
          const content = (await page.locator('main').textContent()) ?? '';
          expect(content.replaceAll(/\s+/g, ' ')).toContain(text);
          expect(await findings(page)).toEqual([]);
        });
      });

      test.concurrent.each(withDiagrams)('%s draws its diagrams, without findings of axe', async (path) => {
        await visit(path, { colorScheme, reducedMotion: 'reduce' }, async (page) => {
          const count = await page.locator('.diagram').count();
          await page.waitForFunction(
            (wanted) => document.querySelectorAll('.diagram svg').length === wanted,
            count,
          );
          expect(await findings(page)).toEqual([]);
        });
      });
    });

    /** Fails if axe finds something on a laptop, or on a phone. */
    const isAccessible = async (page: Page): Promise<void> => {
      for (const width of [1_280, 390]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await findings(page), `${width} px`).toEqual([]);
      }
    };

    test.concurrent.each([...htmls.keys()].filter((path) => !path.startsWith('playground/')))(
      '%s has no findings of axe on a laptop and on a phone',
      // A page of the reference has 14,000 elements.
      { timeout: 600_000 },
      async (path) => {
        await visit(path, { reducedMotion: 'reduce' }, isAccessible);
      },
    );

    test.each(['light', 'dark'] as const)(
      'the playground has no findings of axe, %s',
      async (colorScheme) => {
        await visit('playground/index.html', { colorScheme }, async (page) => {
          await page.waitForSelector('[data-fleet][aria-busy="false"]');
          await isAccessible(page);
        });
      },
    );

    test('the tables of a move from another library fit a laptop', async () => {
      await visit('coming-from.html', { viewport: { width: 1_280, height: 900 } }, async (page) => {
        const hidden = await page
          .locator('main table')
          .evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
        expect(hidden.length).toBeGreaterThan(5);
        expect(Math.max(...hidden)).toBe(0);
      });
    });

    test('a page without a diagram does not load Mermaid', async () => {
      await visit('figures.html', {}, async (page) => {
        const loaded = await page.evaluate(() =>
          performance.getEntriesByType('resource').map(({ name }) => name),
        );
        expect(loaded.length).toBeGreaterThan(2);
        expect(loaded.filter((name) => name.includes('mermaid'))).toEqual([]);
      });
    });

    test('a client is chosen with the keyboard, once for all pages', async () => {
      await visit('guide/retry.html', {}, async (page) => {
        const shown = (): Promise<string[]> =>
          page
            .locator('.vp-code-group pre:visible')
            .evaluateAll((all) => all.map((one) => one.textContent ?? ''));
        /** True if the programs in sight, one for each group, use this client. */
        const uses = (client: string) => async () => {
          const programs = await shown();
          return programs.length > 0 && programs.every((code) => code.includes(`from '@ebb/${client}'`));
        };
        expect(await uses('fetch')()).toBe(true);
        const tab = page.getByRole('radiogroup', { name: 'Client' }).first();
        await tab.getByRole('radio', { name: 'fetch' }).focus();
        await page.keyboard.press('ArrowRight');
        expect(await tab.getByRole('radio', { name: 'axios' }).isChecked()).toBe(true);
        await expect.poll(uses('axios')).toBe(true);
        // The address is another page of the same visit, then the same page of another.
        await page.locator('.VPSidebar').getByText('Observing').click();
        await page.getByRole('heading', { level: 1, name: 'Observing' }).waitFor();
        await page.waitForLoadState('networkidle');
        await expect.poll(uses('axios')).toBe(true);
        await page.reload();
        await expect.poll(uses('axios')).toBe(true);
      });
    });

    test('the figures of the pages are loaded', async () => {
      await visit('packages/simulator.html', {}, async (page) => {
        const images = page.locator('main img');
        expect(await images.count()).toBeGreaterThan(3);
        for (const image of await images.all()) {
          await image.scrollIntoViewIfNeeded();
          await expect
            .poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth))
            .toBeGreaterThan(100);
        }
      });
    });

    test('a figure can be read at 360 px, and the page stays as wide as the phone', async () => {
      await visit('index.html', { viewport: { width: 360, height: 740 } }, async (page) => {
        const figure = page.locator('main img[src*="storm"]');
        await figure.scrollIntoViewIfNeeded();
        const widthOf = () => figure.evaluate((one) => one.getBoundingClientRect().width);
        // Drawn 440 px wide: its labels can still be read.
        await expect.poll(widthOf).toBeGreaterThan(300);
        // Drawn for this width, and moving.
        const timeline = page.locator('main img[src*="timeline"]');
        expect(await timeline.evaluate((one) => one.getBoundingClientRect().width)).toBeLessThanOrEqual(360);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
      });
    });

    test('the search finds a name of the API and a word of a page', async () => {
      await visit('index.html', {}, async (page) => {
        await page.keyboard.press('Control+k');
        const box = page.locator('#localsearch-input');
        const links = page.locator('#localsearch-list a');
        await box.fill('memorystore');
        await links.first().waitFor();
        const found = await links.evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).pathname));
        expect(found.some((path) => path.endsWith('/packages/core.html'))).toBe(true);
        expect(found.some((path) => path.endsWith('/reference/core.html'))).toBe(true);
        await page.keyboard.press('Enter');
        await page.waitForURL(/\.html#/);
      });
    });

    test('the button changes between light and dark', async () => {
      await visit('index.html', { colorScheme: 'light' }, async (page) => {
        const background = (): Promise<string> =>
          page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const light = await background();
        await page.locator('.VPNavBarAppearance button').click();
        await expect.poll(background).not.toBe(light);
      });
    });

    test('the playground is linked, runs its fleet in a worker, and links back', async () => {
      await visit('index.html', {}, async (page) => {
        await page.locator('.VPNavBarMenu').getByText('Playground').click();
        await page.waitForSelector('[data-fleet][aria-busy="false"]');
        expect(page.url()).toContain('/playground/');
        expect(page.workers()).toHaveLength(1);
        expect(await page.locator('figcaption[data-finding="fleet"]').textContent()).toContain('recover');
        await page.getByText('The pages of ebb').click();
        await page.waitForSelector('.VPNavBarMenu');
      });
    });
  },
);
