import { expect, test } from 'vitest';
import { COLOURS } from './palette.ts';

/** Relative luminance. Source: WCAG 2.2. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test.each(Object.entries(COLOURS))('%s is readable on light and on dark pages', (_, colour) => {
  expect(contrast(colour, '#ffffff')).toBeGreaterThan(4.2);
  expect(contrast(colour, '#0d1117')).toBeGreaterThan(4.2);
});
