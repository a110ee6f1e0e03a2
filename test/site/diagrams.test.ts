// Mermaid cleans text with a library that needs a document.
// @vitest-environment jsdom
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, documentedPages } from '../page-blocks.ts';

// The one of the site.
const { default: mermaid } = await import(
  createRequire(join(import.meta.dirname, '../../docs/package.json')).resolve('mermaid')
);

const diagrams = documentedPages()
  .flatMap(blocksOf)
  .filter(({ language }) => language === 'mermaid');

test.each(diagrams.map((block) => [`${block.page}:${block.line}`, block.code] as const))(
  '%s is a diagram that Mermaid can draw, with a title',
  async (_, code) => {
    expect(await mermaid.parse(code)).toMatchObject({ diagramType: expect.any(String) });
    // What is read out in place of the drawing.
    expect(code).toMatch(/^ *accTitle: \w/m);
  },
);
