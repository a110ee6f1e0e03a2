import { defineConfig } from 'vitest/config';
import config, { LONG } from './vitest.config.ts';

// The compilers between the oldest and the newest supported one, and programs with many packages.
export default defineConfig({ ...config, test: { ...config.test, include: LONG, exclude: [] } });
