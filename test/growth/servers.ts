import type { BodyInspector, PolicyOptions } from '@ebb/core';
import { failureKind, retryAfterMs } from '@ebb/core/adapter';
import { remainingFrom } from '@ebb/core/deadlines';
import { anthropic, aws, github, google, openai, shopify, slack } from '@ebb/providers';
import { FirstEvent } from '../../packages/core/src/bodies/body-reader.ts';
import { peekAtPart } from '../../packages/core/src/bodies/peek.ts';
import { headerIn, responseHeader } from '../../packages/core/src/http/headers.ts';
import type { ResponseOutcome } from '../../packages/core/src/http/outcome.ts';
import { serverFeedback } from '../../packages/core/src/http/server-feedback.ts';
import { quotasSaid } from '../../packages/core/src/limits/policy-bucket/fields.ts';
import { EventReader, LineReader } from '../../packages/providers/src/cost/streams.ts';
import { operationsOf } from '../../packages/providers/src/graphql.ts';
import { downloadIn } from '../../packages/resume/src/download.ts';
import { EventStream } from '../../packages/resume/src/event-stream.ts';
import { requestHeader } from '../../packages/undici/src/headers.ts';
import { peekAt } from '../../packages/undici/src/peek.ts';
import type { Reading } from './reading.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12, 0, 0);
const clock = { now: () => NOW_MS, schedule: () => () => undefined };
const encoder = new TextEncoder();

function outcomeOf(status: number, header: (name: string) => string | undefined): ResponseOutcome {
  return { type: 'response', status, header };
}

const everyField = (status: number) => (text: string) =>
  void serverFeedback(
    outcomeOf(status, () => text),
    NOW_MS,
  );

const oneField =
  (...names: readonly string[]) =>
  (text: string) => {
    const header = (name: string) =>
      names.includes(name) ? text : name.endsWith('remaining') ? '0' : undefined;
    void serverFeedback(outcomeOf(429, header), NOW_MS);
  };

/** A stream in parts of a kilobyte. */
const inParts = (take: (part: Uint8Array) => unknown) => (text: string) => {
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length; at += 1_024) take(bytes.subarray(at, at + 1_024));
};

const judgedBy =
  (options: PolicyOptions, status: number, wrap: (text: string) => string) => async (text: string) => {
    const peek = peekAtPart(() => encoder.encode(wrap(text)));
    const type = 'application/json';
    await (options.inspect as BodyInspector).look(
      outcomeOf(status, (name) => (name === 'content-type' ? type : undefined)),
      {
        request: {
          method: 'GET',
          url: 'https://a.test/graphql.json',
          replayable: true,
          header: () => undefined,
        },
        attempt: 1,
        clock,
        signal: undefined,
        open: () => peek,
      },
    );
  };

const message = (text: string): string =>
  JSON.stringify({ error: { message: text, code: text, type: text } });
const xml = (text: string): string => `<Error><Code>${text}</Code></Error>`;

/** What reads what a server sends. */
export const fromServers: readonly Reading[] = [
  ['every header of a 429', everyField(429), ['9', ' ', ',', '"a";r=0,', '1s', 'r=0;', '-', '"']],
  ['every header of a 200', everyField(200), ['9', '"a";r=1,', ';a']],
  ['a reset', oneField('x-ratelimit-reset', 'ratelimit-reset'), ['9', '1.', '1s', '9 ']],
  ['the RateLimit list', oneField('ratelimit'), ['"a";r=0,', '"\\', 'a;', ' ']],
  [
    'quotas and their policies',
    (text) => void quotasSaid(outcomeOf(200, (name) => (name === 'age' ? '0' : text))),
    ['"a";r=0,', '"a";q=1;w=1,', 'a;'],
  ],
  [
    'the time of an incoming request',
    (text) => {
      const headers = { 'x-time': text, 'grpc-timeout': text };
      for (const header of Object.keys(headers)) remainingFrom({ headers }, { mostMs: 1, header });
    },
    ['9', 'm', '9m'],
  ],
  ['a date', oneField('date', 'retry-after'), ['Sat, ', ', 9', '9']],
  [
    'Retry-After',
    (text) =>
      retryAfterMs(
        outcomeOf(503, () => text),
        NOW_MS,
      ),
    ['9', ',', ', 3', '1.'],
  ],
  [
    'the range of a download',
    (text) => downloadIn(206, (name) => (name === 'etag' ? `"${text}"` : text)),
    ['9', 'bytes 9-', ' ', '"'],
  ],
  [
    'an event stream that is resumed',
    (text) => inParts((part) => new EventStream(undefined, { maxEventBytes: 1e6 }).take(part))(text),
    ['data: 1\n\n', 'id: 1\n', '\r', ':', '9'],
  ],
  [
    'an unfinished event that is resumed',
    (text) => {
      const stream = new EventStream(undefined, { maxEventBytes: 1e6 });
      inParts((part) => stream.take(part))(text);
      void stream.retryMs;
    },
    ['data: 1\n', 'retry: 1\n', 'x', '\r'],
  ],
  [
    'an event stream that is counted',
    (text) => {
      const reader = new EventReader(65_536, () => undefined);
      inParts((part) => reader.part(part))(text);
    },
    ['data: 1\n\n', 'data: 1\n', 'x', '\r'],
  ],
  [
    'an error of OpenAI',
    judgedBy(openai(), 429, message),
    ['try again in 1', '9', 'Request too large Limit 9, ', '1s'],
  ],
  ['an error of Anthropic', judgedBy(anthropic(), 400, message), ['9', 'a ']],
  ['an error of GitHub', judgedBy(github(), 403, message), ['secondary ', '9']],
  ['an error of Google', judgedBy(google(), 429, message), ['9s', '9']],
  ['an error of Slack', judgedBy(slack(), 200, message), ['9', 'a']],
  [
    'an error of Shopify',
    judgedBy(shopify(), 200, (text) => JSON.stringify({ errors: [{ extensions: { code: text } }] })),
    ['THROTTLED', 'a'],
  ],
  [
    'many headers',
    (text) => {
      const pairs = Array.from({ length: text.length / 16 }, (_, at) => [
        `${text.slice(0, 8)}${at}`,
        text.slice(0, 8),
      ]);
      const record = Object.fromEntries(pairs);
      return [
        headerIn(pairs, 'date'),
        headerIn(record, 'date'),
        responseHeader(record, 'date'),
        requestHeader(record, 'date'),
      ];
    },
    ['a', 'date'],
  ],
  ['an error of AWS', judgedBy(aws(), 400, xml), ['<Code>', ':', '#', 'a']],
  [
    'the first event of a stream',
    (text) => {
      const first = new FirstEvent();
      for (let at = 0; at < text.length; at += 1_024) first.take(text.slice(at, at + 1_024));
    },
    ['data: 1\n', ': 1\n', 'event: ping\n\n', '\r', 'x'],
  ],
  [
    'lines of JSON that are counted',
    (text) => {
      const reader = new LineReader(65_536, () => undefined);
      inParts((part) => reader.part(part))(text);
      reader.end();
    },
    ['{}\n', ' ', 'x', '\n'],
  ],
  ['a document of GraphQL', operationsOf, ['{a}', 'query{', '"', '"""', '#', '9.', '(', 'a ']],
  [
    'the codings of a body',
    (text) => peekAt({} as never, { head: { status: 200, headers: { 'content-encoding': text } } } as never),
    ['gzip,', ',', ' ', 'a'],
  ],
  [
    'the message of a failure',
    (text) =>
      ['', 'fetch failed (', 'network ', 'error sending request for url ('].map((start) =>
        failureKind(new TypeError(start + text)),
      ),
    [') ', ' ', '):', '): ', '(os error 9', '9', 'dns error', 'fetch failed (', ': '],
  ],
];
