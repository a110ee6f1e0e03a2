import { test } from 'vitest';
import { runner } from './vitest-runner.ts';

// Vitest gives a test what it may use while it runs, so the others run inside this one.
test('runs the tests that Stryker asks for', { timeout: 0 }, () => runner.serve());
