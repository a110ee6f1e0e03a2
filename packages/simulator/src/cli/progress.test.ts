import { describe, expect, test } from 'vitest';
import { ProgressBar } from './progress.ts';

function setUp(isTTY: boolean) {
  const written: string[] = [];
  const clock = { nowMs: 1_000 };
  const stream = { isTTY, write: (text: string) => written.push(text) > 0 };
  const bar = new ProgressBar(stream as unknown as NodeJS.WriteStream, 'storm', () => clock.nowMs);
  return { bar, clock, written };
}

describe('the progress bar', () => {
  test('is drawn on a terminal during a long run, and cleared after it', () => {
    const { bar, clock, written } = setUp(true);
    bar.show(0.1);
    clock.nowMs += 499;
    bar.show(0.2);
    expect(written).toEqual([]);
    clock.nowMs += 1;
    bar.show(0.5);
    expect(written).toEqual([`\r${'█'.repeat(15)}${'░'.repeat(15)}  50 % storm`]);
    clock.nowMs += 50;
    bar.show(0.6);
    expect(written).toHaveLength(1);
    clock.nowMs += 50;
    bar.show(1);
    expect(written.at(-1)).toBe(`\r${'█'.repeat(30)} 100 % storm`);
    bar.clear();
    expect(written.at(-1)).toBe('\r\x1b[K');
  });

  test('is not drawn without a terminal, nor for a short run', () => {
    const elsewhere = setUp(false);
    elsewhere.clock.nowMs += 10_000;
    elsewhere.bar.show(0.5);
    elsewhere.bar.clear();
    expect(elsewhere.written).toEqual([]);
    const short = setUp(true);
    short.bar.show(1);
    short.bar.clear();
    expect(short.written).toEqual([]);
  });
});
