import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { describe, expect, inject, test } from 'vitest';

describe.each(Object.entries(inject('tarballs')))('@ebb/%s', (_, path) => {
  const tarball = readFileSync(path);

  test('every built file has a source: nothing is left from an earlier build', () => {
    const names = execFileSync('tar', ['-tzf', path]).toString().split('\n');
    const built = names.filter((name) => /^package\/(dist|cjs)\/.*\.js$/.test(name));
    const sources = built.map((name) => name.replace(/\/(dist|cjs)\/(.*)\.js$/, '/src/$2.ts'));
    expect(built).not.toEqual([]);
    expect(sources.filter((name) => !names.includes(name))).toEqual([]);
  });

  test('are-the-types-wrong finds no problem in any mode', async () => {
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
