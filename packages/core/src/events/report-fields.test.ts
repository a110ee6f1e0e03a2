import { expect, test } from 'vitest';
import { withoutSecrets } from './report-fields.ts';

test.each([
  ['https://api.test/v1/things?key=SECRET', 'https://api.test/v1/things'],
  ['https://api.test/v1/things#SECRET', 'https://api.test/v1/things'],
  ['https://SECRET:SECRET@api.test:8443/v1', 'https://api.test:8443/v1'],
  ['https://SECRET@api.test', 'https://api.test/'],
  ['https:\\\\SECRET:SECRET@api.test\\v1', 'https://api.test/v1'],
  [' https://SECRET:SECRET@api.test/', 'https://api.test/'],
  ['https://api.test/@scope/name?SECRET', 'https://api.test/@scope/name'],
  ['unix://SECRET:SECRET@host/socket?SECRET', 'unix://host/socket'],
  ['capacitor://localhost/app', 'capacitor://localhost/app'],
  ['data:text/plain,SECRET', 'data:'],
  ['blob:https://api.test/SECRET', 'blob:'],
  ['/v1/things?key=SECRET#SECRET', '/v1/things'],
  ['/@scope/name', '/@scope/name'],
  ['things#SECRET', 'things'],
  ['//SECRET:SECRET@api.test/v1', '//'],
  ['https://SECRET:SE/CRET@api.test', 'https://'],
  ['', ''],
])('%j is reported as %j', (url, reported) => {
  expect(withoutSecrets(url)).toBe(reported);
});
