import { abortIn, behavesAsBare, fail, methods, one, type Row, upgrades } from '../test/scenarios.ts';

const rows: readonly Row[] = [
  ...methods.flatMap(
    (method) =>
      [
        [`a handler that throws in ${method}`, one({}, { [method]: fail })],
        [
          `one that throws in ${method} and onResponseError`,
          one({}, { [method]: fail, onResponseError: fail }),
        ],
      ] as const,
  ),
  ['a handler that throws at an informational response', one({ path: '/hints' }, { onResponseStart: fail })],
  [
    'a handler that throws a network error',
    one(
      {},
      {
        onResponseStart: () => {
          throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
        },
      },
    ),
  ],
  ...(['onBodySent', 'onRequestSent'] as const).map(
    (method) =>
      [
        `a handler that throws in ${method}`,
        one({ method: 'PUT', body: 'hello' }, { [method]: fail }),
      ] as const,
  ),
  ...['reset', 'nonsense', 'short'].map(
    (path) =>
      [
        `a handler that throws in onResponseError of /${path}`,
        one({ path: `/${path}` }, { onResponseError: fail }),
      ] as const,
  ),
  ...upgrades.flatMap(
    ([name, options]) =>
      [
        [name, one(options)],
        [`${name}, and a handler that throws`, one(options, { onRequestUpgrade: fail })],
        [
          `${name}, and a handler that throws twice`,
          one(options, { onRequestUpgrade: fail, onResponseError: fail }),
        ],
        [`${name}, and a handler that aborts`, one(options, abortIn('onRequestUpgrade'))],
      ] as const,
  ),
  ['an upgrade that is refused', one({ path: '/no-upgrade', upgrade: 'echo' })],
  ['an upgrade that was not requested', one({ path: '/bad-upgrade' })],
];

behavesAsBare(rows);
