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
    // Until 5.6 no module can add an overload to a function of another. Users need `skipLibCheck`, as the README says.
    except: /@ebb\/undici\/.*Overload signatures must all be exported or non-exported/,
  },
);
