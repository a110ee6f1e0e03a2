import { type Promised, promises } from './promise.ts';

const FOLDER = 'packages/resume/src';
const EVENTS = `${FOLDER}/event-stream.ts`;
const DOWNLOAD = `${FOLDER}/download.ts`;
const RESUMER = `${FOLDER}/resumer.ts`;
const BODY = 'packages/resume/src/fetch/resumed-body.ts';
const ofEvents = [`${FOLDER}/event-stream.test.ts`];
const resuming = [`${FOLDER}/resumable.test.ts`];

export const RESUMING: readonly Promised[] = [
  ...promises('docs/strategies/resuming.md', [
    {
      says: 'stream with `Last-Event-ID`',
      file: EVENTS,
      from: "!value.includes('\\0') && ",
      to: '',
      tests: ofEvents,
    },
    {
      says: 'resumptions in a row that bring nothing',
      file: RESUMER,
      from: 'this.#vain = 0;',
      to: '',
      tests: [`${FOLDER}/resumer.test.ts`],
    },
    {
      says: 'an ETag that is weak',
      file: DOWNLOAD,
      from: '/^"[^"]*"$/',
      to: '/"[^"]*"$/',
      tests: resuming,
    },
    {
      says: 'an ETag that is weak or has changed',
      file: DOWNLOAD,
      from: "if (header('etag') !== this.#header('etag')) return",
      to: 'if (false) return',
      tests: resuming,
    },
    {
      says: 'a content coding',
      file: EVENTS,
      from: "(header('content-encoding') ?? 'identity') !== 'identity'",
      to: 'false',
      tests: [`${FOLDER}/events.test.ts`],
    },
    {
      says: 'a method other than GET without `resumeWith`',
      file: RESUMER,
      from: "return method === 'GET' && replayable",
      to: 'return replayable',
      tests: resuming,
    },
    {
      says: 'a redirect to another origin with credentials',
      file: BODY,
      from: 'return hasCredentials ?',
      to: 'return false ?',
      tests: ['packages/resume/src/fetch/resumable.test.ts'],
    },
    {
      says: 'With `isLast`, which names the last event, that is a break as well.',
      file: EVENTS,
      from: 'return this.isDone || this.#isUnread || this.#hooks.isLast === undefined;',
      to: 'return true;',
      tests: resuming,
    },
    {
      says: 'cannot be resumed until its next id',
      file: EVENTS,
      from: 'this.#loose = devText(`an event',
      to: 'devText(`an event',
      tests: resuming,
    },
    {
      says: 'the longest silence of a body',
      file: BODY,
      from: 'signal: undefined, leftMs: idleMs, late',
      to: 'signal: undefined, leftMs: 2 * idleMs, late',
      tests: ['packages/resume/src/fetch/resumable-time.test.ts'],
    },
    {
      says: 'the end of an event stream is a break',
      file: RESUMER,
      from: 'this.isOver || !this.#options.resumeAtEnd',
      to: 'true',
      tests: resuming,
    },
  ]),
  ...promises('docs/core/events.md', [
    {
      says: '`attemptsOf(responseOrError)` is the history of a result',
      file: BODY,
      from: 'copyHistory(error, this.#made());',
      to: '',
      tests: resuming,
    },
  ]),
];
