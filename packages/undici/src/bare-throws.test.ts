import { abortIn, behavesAsBare, fail, methods, one, type Row, upgrades } from '../test/scenarios.ts';

const throwing = { onResponseError: fail };
const lose = (): never => {
  throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
};

const rows: readonly Row[] = [
  ...methods.flatMap((method): Row[] => [
    [`a handler that throws in ${method}`, one({}, { [method]: fail })],
    [`one that throws in ${method} and onResponseError`, one({}, { [method]: fail, ...throwing })],
  ]),
  ['a handler that throws at an informational response', one({ path: '/hints' }, { onResponseStart: fail })],
  ['a handler that throws a network error', one({}, { onResponseStart: lose })],
  ...['onBodySent', 'onRequestSent'].map(
    (method): Row => [
      `a handler that throws in ${method}`,
      one({ method: 'PUT', body: 'hello' }, { [method]: fail }),
    ],
  ),
  ...['reset', 'nonsense', 'short'].map(
    (path): Row => [
      `a handler that throws in onResponseError of /${path}`,
      one({ path: `/${path}` }, throwing),
    ],
  ),
  ...upgrades.flatMap(([name, options]): Row[] => [
    [name, one(options)],
    [`${name}, and a handler that throws`, one(options, { onRequestUpgrade: fail })],
    [`${name}, and a handler that throws twice`, one(options, { onRequestUpgrade: fail, ...throwing })],
    [`${name}, and a handler that aborts`, one(options, abortIn('onRequestUpgrade'))],
  ]),
  ['an upgrade that is refused', one({ path: '/no-upgrade', upgrade: 'echo' })],
  ['an upgrade that was not requested', one({ path: '/bad-upgrade' })],
];

behavesAsBare(rows);
