import ts from 'typescript6';
import { compileAll } from './compile.ts';

compileAll(
  ts,
  [
    ['node16', 'node'],
    ['node10', 'node'],
    ['bundler', 'bun'],
  ],
  { options: { ignoreDeprecations: '6.0' } },
);
