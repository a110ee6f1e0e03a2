import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { describe, expect, inject, test } from 'vitest';

describe.each(Object.entries(inject('tarballs')))('@ebb/%s', (_, path) => {
  const tarball = readFileSync(path);

  test('are-the-types-wrong finds nothing in any mode', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
    expect(analysis.types).toEqual({ kind: 'included' });
    expect('problems' in analysis && analysis.problems).toEqual([]);
    const modes = ['node10', 'node16-cjs', 'node16-esm', 'bundler'];
    for (const [door, { resolutions }] of Object.entries(
      'entrypoints' in analysis ? analysis.entrypoints : {},
    )) {
      expect(Object.keys(resolutions), door).toEqual(modes);
    }
  });
});
