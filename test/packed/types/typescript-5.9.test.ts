import ts from 'typescript5.9';
import { compileAll } from './compile.ts';

compileAll(ts as never, [
  ['node16', 'node and dom'],
  ['nodenext', 'node'],
  ['node10', 'node'],
]);
