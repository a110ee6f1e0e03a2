import { readdirSync, readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { widthOf } from '../packages/simulator/src/chart/text-width.ts';
import { launchChromium, noChromium } from './chromium.ts';

const directory = new URL('../packages/simulator/figures/', import.meta.url);
if (noChromium !== undefined) console.warn(`The figures are not tested in a browser: ${noChromium}.`);

interface Shown {
  readonly text: string;
  readonly size: number;
  readonly bold: boolean;
  readonly length: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

// The widest font that a figure is likely to be shown in, and one of the narrowest.
describe.skipIf(noChromium !== undefined).each(['DejaVu Sans', 'Liberation Sans'])(
  `the figures in Chromium${noChromium === undefined ? '' : ` (SKIPPED: ${noChromium})`}, in %s`,
  (font) => {
    let browser: Browser;
    let page: Page;

    beforeAll(async () => {
      browser = await launchChromium();
      page = await browser.newPage({ viewport: { width: 800, height: 900 } });
    });
    afterAll(() => browser?.close());

    async function show(
      svg: string,
    ): Promise<{ readonly width: number; readonly height: number; readonly texts: Shown[] }> {
      await page.setContent(svg.replace(/font-family="[^"]*"/, `font-family="${font}"`));
      return page.evaluate(() => {
        const { width, height } = (document.querySelector('svg') as SVGSVGElement).viewBox.baseVal;
        const texts = [...document.querySelectorAll('text')].map((element) => {
          const { x, y, width, height } = element.getBBox();
          const { fontSize, fontWeight } = getComputedStyle(element);
          const length = element.getComputedTextLength();
          const type = { size: Number.parseFloat(fontSize), bold: fontWeight === '600' };
          return { text: element.textContent ?? '', ...type, length, x, y, width, height };
        });
        return { width, height, texts };
      });
    }

    test.each(readdirSync(directory))('%s: no text is cut or overlaps another', async (name) => {
      const { width, height, texts } = await show(readFileSync(new URL(name, directory), 'utf8'));
      expect(texts.length).toBeGreaterThan(5);
      for (const text of texts) {
        expect(text.x, text.text).toBeGreaterThanOrEqual(0);
        expect(text.x + text.width, text.text).toBeLessThanOrEqual(width);
        expect(text.y, text.text).toBeGreaterThanOrEqual(0);
        expect(text.y + text.height, text.text).toBeLessThanOrEqual(height);
      }
      const crossed = texts.flatMap((one, at) =>
        texts
          .slice(at + 1)
          .filter(
            (other) =>
              one.x < other.x + other.width &&
              other.x < one.x + one.width &&
              one.y < other.y + other.height &&
              other.y < one.y + one.height,
          )
          .map((other) => [one.text, other.text]),
      );
      expect(crossed).toEqual([]);
      const wider = texts.filter(
        ({ text, size, bold, length }) => length > widthOf(text, { size, bold }) + 0.5,
      );
      expect(wider, 'wider than in the table of widths').toEqual([]);
    });

    // The others have bars.
    const charts = readdirSync(directory).filter((name) =>
      readFileSync(new URL(name, directory), 'utf8').includes('<path'),
    );

    test('there are figures with lines', () => {
      expect(charts.length).toBeGreaterThan(5);
    });

    test.each(charts)('%s: every line is visible on the way to its label', async (name) => {
      await show(readFileSync(new URL(name, directory), 'utf8'));
      const seen = await page.evaluate(async () => {
        const svg = document.querySelector('svg') as SVGSVGElement;
        const { width, height } = svg.viewBox.baseVal;
        const image = new Image();
        image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
        await image.decode();
        // At four times the size a line of two pixels has pixels of its own colour at any slope.
        const canvas = new OffscreenCanvas(4 * width, 4 * height);
        const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
        context.drawImage(image, 0, 0, 4 * width, 4 * height);
        const lines = [...document.querySelectorAll<SVGPathElement>('g[aria-label] > path[stroke-width]')];
        const right = Math.max(...lines.map((line) => line.getBBox().x + line.getBBox().width));
        // The last 150 pixels of the plot, without the labels.
        const { data } = context.getImageData(4 * (Math.floor(right) - 150), 0, 600, 4 * height);
        return lines.map((line) => {
          const hex = line.getAttribute('stroke') ?? '';
          const colour = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
          let pixels = 0;
          for (let at = 0; at < data.length; at += 4) {
            const near = colour.every((part, channel) => Math.abs(part - (data[at + channel] as number)) < 8);
            if (near && (data[at + 3] as number) > 200) pixels += 1;
          }
          return [line.parentElement?.getAttribute('aria-label') ?? '', pixels] as const;
        });
      });
      expect(seen.length).toBeGreaterThan(1);
      expect(seen.filter(([, pixels]) => pixels < 100)).toEqual([]);
    });
  },
);
