// Calls each function that reads what a server says with more and more of it. Valgrind counts the instructions between the marks.
import type { BodyInspector, PolicyOptions } from '@ebb/core';
import { downloadIn, retryAfterMs } from '@ebb/core/adapter';
import { anthropic, aws, github, google, openai, slack } from '@ebb/core/presets';
import { peekAtPart } from '../../packages/core/src/bodies/opened.ts';
import type { Responded } from '../../packages/core/src/http/outcome.ts';
import { serverFeedback } from '../../packages/core/src/http/server-feedback.ts';
import { EventReader } from '../../packages/core/src/parts/cost/events.ts';
import { EventStream } from '../../packages/core/src/resume/event-stream.ts';
import { SIZES } from './sizes.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12, 0, 0);
const clock = { now: () => NOW_MS, schedule: () => () => undefined };
const encoder = new TextEncoder();

function outcomeOf(status: number, header: (name: string) => string | undefined): Responded {
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
        request: { method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined },
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

/** What reads, and what it is given again and again. */
const SUBJECTS: readonly (readonly [
  name: string,
  read: (text: string) => unknown,
  fills: readonly string[],
])[] = [
  ['every header of a 429', everyField(429), ['9', ' ', ',', '"a";r=0,', '1s', 'r=0;', '-', '"']],
  ['every header of a 200', everyField(200), ['9', '"a";r=1,', ';a']],
  ['a reset', oneField('x-ratelimit-reset', 'ratelimit-reset'), ['9', '1.', '1s', '9 ']],
  ['the RateLimit list', oneField('ratelimit'), ['"a";r=0,', '"\\', 'a;', ' ']],
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
  ['an error of AWS', judgedBy(aws(), 400, xml), ['<Code>', ':', '#', 'a']],
];

const counted: string[] = [];
/** The counter looks for this call. */
const mark = (): number => process.uptime();

for (const [name, read, fills] of SUBJECTS) {
  for (const fill of fills) {
    // As text from the network: not one that is put together only when it is read.
    const texts = SIZES.map((size) => Buffer.alloc(size, fill).toString('latin1'));
    // Once before, so that what is compiled is compiled.
    await read(texts.at(-1) as string);
    counted.push(`${name}, of ${JSON.stringify(fill)}`);
    mark();
    for (const text of texts) {
      await read(text);
      mark();
    }
  }
}
console.log(JSON.stringify(counted));
