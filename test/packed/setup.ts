import type { TestProject } from 'vitest/node';
import { install } from './install.ts';

declare module 'vitest' {
  interface ProvidedContext {
    folder: string;
    tarballs: Readonly<Record<string, string>>;
  }
}

/** Packs and installs once for all files. */
export default async function setup(project: TestProject): Promise<() => void> {
  const { folder, tarballs, remove } = await install(process.env.EBB_PACKED);
  project.provide('folder', folder);
  project.provide('tarballs', tarballs);
  return remove;
}
