import ts from 'typescript5.9';
import { compileAll } from './compile.ts';

compileAll(ts as never, [
  ['nodenext', 'node and dom'],
  ['node10', 'node and dom'],
  ['bundler', 'node and dom'],
]);
