import ts from 'typescript5.4';
import { compileAll } from './compile.ts';

// It knows no `es2024` yet.
compileAll(
  ts as never,
  [
    ['node16', 'node'],
    ['node10', 'node'],
  ],
  'es2023',
);
