import { defineConfig } from 'vitest/config';
import config, { LONG } from './vitest.config.ts';

// The compilers between the oldest and the newest that the types are for.
export default defineConfig({ ...config, test: { ...config.test, include: LONG, exclude: [] } });
