import { github } from '@ebb/providers';
import { Octokit } from 'octokit';
import { ok, type Sdk } from '../sdk.ts';

const silent = (): void => undefined;
const error = (message: string): string =>
  JSON.stringify({ message, documentation_url: 'https://docs.github.com/rest' });

export const octokitSdk: Sdk = {
  name: 'octokit',
  presetName: 'github()',
  preset: github,
  client({ url, ebb }) {
    const octokit = new Octokit({
      auth: 'token',
      baseUrl: url,
      log: { debug: silent, info: silent, warn: silent, error: silent },
      ...(ebb === undefined
        ? {}
        : { request: { fetch: ebb.fetch }, retry: { enabled: false }, throttle: { enabled: false } }),
    });
    return {
      send: (signal) =>
        octokit.request('POST /repos/{owner}/{repo}/issues', {
          owner: 'o',
          repo: 'r',
          title: 't',
          ...(signal && { request: { signal } }),
        }),
      stream: () => octokit.graphql('query { viewer { login } }'),
    };
  },
  error: () => error('no'),
  good: ok({ id: 1 }),
  goodStream: ok({ data: { viewer: { login: 'x' } } }),
  hasTimeout: false,
  takesSignal: true,
  rows: [
    {
      name: '403, requests used up',
      answer: (nowMs) => ({
        status: 403,
        headers: {
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(nowMs / 1000 + 90),
          'x-ratelimit-resource': 'core',
        },
        body: error('API rate limit exceeded for user ID 1.'),
      }),
      askedMs: 90_000,
      wanted: 'again',
    },
    {
      name: '403, secondary limit, `Retry-After: 30`',
      answer: {
        status: 403,
        headers: { 'retry-after': '30', 'x-ratelimit-remaining': '4000' },
        body: error('You have exceeded a secondary rate limit.'),
      },
      askedMs: 30_000,
      wanted: 'again',
    },
    {
      name: '403, secondary limit, no time',
      answer: {
        status: 403,
        headers: { 'x-ratelimit-remaining': '4000' },
        body: error('You have exceeded a secondary rate limit.'),
      },
      askedMs: 60_000,
      wanted: 'again',
    },
    {
      name: '403, forbidden',
      answer: {
        status: 403,
        headers: { 'x-ratelimit-remaining': '4000' },
        body: error('Resource not accessible'),
      },
      wanted: 'once',
    },
    {
      name: 'a GraphQL `RATE_LIMITED` in a 200',
      answer: (nowMs) => ({
        status: 200,
        headers: {
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(nowMs / 1000 + 90),
          'x-ratelimit-resource': 'graphql',
        },
        body: JSON.stringify({
          data: null,
          errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }],
        }),
      }),
      askedMs: 90_000,
      wanted: 'again',
      isStream: true,
    },
    { name: '502 to a GraphQL query', answer: { status: 502, body: 'no' }, wanted: 'again', isStream: true },
    { name: 'a reset of a GraphQL query', answer: 'reset', wanted: 'again', isStream: true },
  ],
};
