import type { PolicyOptions } from '@ebb/core';
import type { Peek } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { expect, test } from 'vitest';
import { anthropic } from './anthropic.ts';
import { aws } from './aws.ts';
import { github } from './github.ts';
import { google } from './google.ts';
import { openai } from './openai.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';

interface Case {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly method?: string;
  readonly sent?: Readonly<Record<string, string>>;
}

/** True if the body of a response is opened. */
async function isRead({ inspect }: PolicyOptions, of: Case): Promise<boolean> {
  const { status, headers = {}, path = '/v1/x', method = 'POST', sent = {} } = of;
  let opened = false;
  const open = (): Peek => {
    opened = true;
    return { read: async () => undefined, stop: () => undefined };
  };
  const request = {
    method,
    url: `https://a.test${path}`,
    replayable: true,
    header: (name: string) => sent[name],
  };
  const outcome = { type: 'response', status, header: (name: string) => headers[name] } as const;
  await inspect?.look(outcome, { request, attempt: 1, open, signal: undefined, clock: virtualClock() });
  return opened;
}

const STREAM = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };
const XML = { 'content-type': 'text/xml' };
const unwanted = { 'x-should-retry': 'false' };
const model = '/v1/models/m:generateContent';
const copied = { 'x-amz-copy-source': '/a' };

type Row = [name: string, of: Case, read: boolean];

const presets = { openai, anthropic, google, aws, github, shopify, slack };

test.each<Row>([
  ...['openai', 'anthropic'].flatMap((name): Row[] => [
    [name, { status: 429 }, true],
    [name, { status: 429, headers: { 'x-should-retry': 'true' } }, true],
    [name, { status: 429, headers: unwanted }, false],
    [name, { status: 429, headers: { ...unwanted, ...STREAM } }, false],
    [name, { status: 503 }, false],
  ]),
  ...['openai', 'anthropic', 'google'].flatMap((name): Row[] => [
    [name, { status: 200, headers: STREAM }, true],
    [name, { status: 299, headers: STREAM }, true],
    [name, { status: 300, headers: STREAM }, false],
    [name, { status: 500, headers: STREAM }, false],
    [name, { status: 200, headers: JSON_TYPE }, false],
    [name, { status: 200 }, false],
  ]),
  ['google', { status: 429 }, true],
  ['google', { status: 403 }, true],
  ['google', { status: 404 }, false],
  ['google', { status: 503 }, false],
  ['google', { status: 503, path: model }, true],
  ['google', { status: 502, path: model }, false],
  ['google', { status: 503, headers: STREAM }, false],
  ['aws', { status: 400 }, true],
  ['aws', { status: 500 }, true],
  ['aws', { status: 399 }, false],
  ['aws', { status: 429 }, false],
  ['aws', { status: 429, headers: XML, sent: copied }, false],
  ['aws', { status: 400, headers: { 'x-amzn-errortype': 'X' } }, false],
  ['aws', { status: 200, headers: XML }, false],
  ['aws', { status: 200, headers: XML, sent: copied, method: 'PUT' }, true],
  ['aws', { status: 201, headers: XML, sent: copied, method: 'PUT' }, false],
  ['aws', { status: 200, sent: copied, method: 'PUT' }, false],
  ['aws', { status: 200, headers: XML, path: '/k?uploadId=1' }, true],
  ['aws', { status: 200, headers: XML, path: '/k?a=1&uploadId=1' }, true],
  ['aws', { status: 200, headers: XML, path: '/k?myuploadId=1' }, false],
  ['aws', { status: 200, headers: XML, path: '/k?uploadId=1', method: 'PUT' }, false],
  ['github', { status: 403 }, true],
  ['github', { status: 403, headers: { 'retry-after': '1' } }, false],
  ['github', { status: 403, headers: { 'x-ratelimit-remaining': ' 0 ' } }, false],
  ['github', { status: 403, headers: { 'x-ratelimit-remaining': '1' } }, true],
  ['github', { status: 429 }, false],
  ['github', { status: 404, path: '/graphql' }, false],
  ['github', { status: 200 }, false],
  ['github', { status: 200, path: '/api/graphql?a=1' }, true],
  ['github', { status: 200, path: '/graphql/x' }, false],
  ['shopify', { status: 200, path: '/admin/graphql.json' }, true],
  ['shopify', { status: 201, path: '/admin/graphql.json' }, false],
  ['shopify', { status: 200, path: '/admin/products.json' }, false],
  ['slack', { status: 200, path: '/api/users.list', headers: JSON_TYPE }, true],
  ['slack', { status: 200, path: '/api/users.list?a=1', headers: JSON_TYPE }, true],
  ['slack', { status: 201, path: '/api/users.list', headers: JSON_TYPE }, false],
  ['slack', { status: 200, path: '/api/users.list' }, false],
  ['slack', { status: 200, path: '/api/a/b', headers: JSON_TYPE }, false],
  ['slack', { status: 200, path: '/files/x.json', headers: JSON_TYPE }, false],
])('%s, %j: the body is read: %s', async (name, of, read) => {
  expect(await isRead(presets[name as keyof typeof presets](), of)).toBe(read);
});
