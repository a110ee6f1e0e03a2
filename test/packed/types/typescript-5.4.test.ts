import ts from 'typescript5.4';
import { compileAll } from './compile.ts';

compileAll(
  ts as never,
  [
    ['node16', 'node'],
    ['node10', 'node'],
  ],
  {
    newest: 'es2023',
    // Before 5.6 a module cannot add an overload to a function of another module. Users need `skipLibCheck`.
    except: /@ebb\/undici\/.*Overload signatures must all be exported or non-exported/,
  },
);
