// Builds what is published into packages/*/dist, and completes `exports` of each package.json: pnpm build
import { buildPackage } from './build.ts';
import { complete } from './manifest.ts';
import { packages } from './packages.ts';

for (const one of packages()) {
  complete(one);
  await buildPackage(one);
}
