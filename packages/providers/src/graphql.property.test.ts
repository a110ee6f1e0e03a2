import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isQuery, operationsOf } from './graphql.ts';

// Documents are made from operations that are known, with everything around them that could be taken for another one.

const WORDS = ['query', 'mutation', 'subscription', 'fragment', 'on', 'a', '_b9'];
const word = fc.constantFrom(...WORDS);
const comment = fc.constantFrom('# mutation { a }\n', '# """\r', '# } "\r\n');
const blank = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(' ', '\n', ', ', '\t', '\uFEFF ') }, comment);
const text = fc
  .array(fc.constantFrom('mutation', '{', '}', '#', ' ', '(', '\\"', '\\\\', '\\n', 'é'))
  .map((parts) => `"${parts.join('')}"`);
const block = fc
  .array(fc.constantFrom('mutation {', '}', '#', '\n', '" ', '\\""" ', '\\n'))
  .map((parts) => `""" ${parts.join('')} """`);

const value: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('1', '-2.5e3', 'true', '$a'),
    word,
    text,
    block,
    fc.array(tie('value'), { maxLength: 2 }).map((items) => `[${items.join(' ')}]`),
    fc.tuple(word, tie('value')).map(([name, item]) => `{${name}: ${item}}`),
  ),
})).value;

const args = fc.tuple(word, value).map(([name, item]) => `(${name}: ${item})`);
const directive = fc.tuple(word, fc.option(args)).map(([name, given]) => ` @${name}${given ?? ''}`);
const selection: fc.Arbitrary<string> = fc.letrec<{ set: string }>((tie) => ({
  set: fc
    .array(
      fc.oneof(
        { depthSize: 'small' },
        word,
        fc.tuple(word, args).map((parts) => parts.join('')),
        fc.tuple(word, tie('set')).map((parts) => parts.join(' ')),
        tie('set').map((set) => `... on T ${set}`),
        comment.map((note) => `a ${note}`),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((fields) => `{${fields.join(' ')}}`),
})).set;

const head = fc
  .tuple(fc.option(value.filter((item) => !item.includes('$'))), fc.array(directive, { maxLength: 2 }))
  .map(([given, directives]) => `${given === null ? '' : `($a: T = ${given})`}${directives.join('')}`);
const operation = fc.record({
  kind: fc.constantFrom('query', 'mutation', 'subscription'),
  name: fc.option(word, { nil: undefined }),
  head,
  set: selection,
});
const fragment = fc.tuple(word, selection).map(([name, set]) => `fragment ${name} on T ${set}`);

const documents = fc
  .array(fc.tuple(operation, fc.array(blank, { maxLength: 3 }), fc.option(fragment)), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => ({
    operations: parts.map(([{ kind, name }]) => ({ kind, name })),
    document: parts
      .map(([{ kind, name, head, set }, blanks, between]) => {
        return `${blanks.join('')}${between ?? ''}${kind} ${name ?? ''}${head} ${set}`;
      })
      .join(''),
  }));

test('the operations of a document are found, whatever stands around them', () => {
  fc.assert(
    fc.property(documents, ({ operations, document }) => {
      expect(operationsOf(document)).toEqual(operations);
    }),
  );
});

test('a body reads only if the operation that is chosen is a query', () => {
  fc.assert(
    fc.property(documents, fc.option(word, { nil: undefined }), ({ operations, document }, operationName) => {
      const chosen = operations.filter(({ name }) => operationName === undefined || name === operationName);
      const reads = chosen.length === 1 && chosen[0]?.kind === 'query';
      const body = { query: document, operationName };
      expect(isQuery(body)).toBe(reads);
      expect(isQuery(new TextEncoder().encode(JSON.stringify(body)))).toBe(reads);
    }),
  );
});

test('no part of a document counts as a query that it is not', () => {
  fc.assert(
    fc.property(documents, fc.nat(), ({ operations, document }, cut) => {
      const found = operationsOf(document.slice(0, cut % document.length));
      expect(operations.slice(0, found.length)).toEqual(found);
    }),
  );
});
