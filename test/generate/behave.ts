import { contentOf, eventCount, eventsOf, usageOf } from './content.ts';
import { gzipped, type Line, type Response, respond, type Sending } from './respond.ts';
import type { Behaviour, Step } from './step.ts';

/** What a server knows of a call beside its script. */
export interface CallState {
  /** The size of its file, once it was served. */
  fileSize: number | undefined;
  /** The size of its event stream, in events. */
  events: number | undefined;
}

export interface Answering extends Line {
  readonly step: Step;
  readonly state: CallState;
  /** Of the case. */
  readonly seed: number;
}

type Behave = (line: Answering) => void | Promise<void>;

/** A refused port: only root can listen there. */
const DEAD = 'http://127.0.0.1:2';

/** How long a silent server keeps a connection, in milliseconds. */
const SILENT_MS = 120;

const labelOf = ({ seen }: Line): string => `c${seen.call}.s${seen.index}`;
const plain = (line: Answering, status = 200): Response => ({
  status,
  content: contentOf(labelOf(line), line.step.size ?? 20),
});

/** The bytes of a version of the file of a call. */
const fileOf = (line: Answering, version: number): Buffer =>
  contentOf(`c${line.seen.call}.v${version}`, line.state.fileSize ?? 300);

function sendStatus(line: Answering): Promise<void> {
  const { status = 503, wait } = line.step;
  const headers = wait === undefined ? {} : { 'retry-after': wait };
  return respond(line, { ...plain(line, status), headers });
}

function redirect(line: Answering, to: string): Promise<void> {
  const { seen, step } = line;
  const location = `${to}/k${line.seed}/c${seen.call}?hop=${seen.hop + 1}`;
  return respond(line, { ...plain(line, step.status ?? 302), location });
}

function here({ seen, urls }: Line): string {
  return urls[seen.at];
}

function away({ seen, urls }: Line): string {
  return urls[seen.at === 'a' ? 'b' : 'a'];
}

/** A file, or what a request for the rest of it asks for. */
function file(line: Answering, sending: Sending = {}, isLie = false, version = 0): Promise<void> {
  const { seen, state, step } = line;
  state.fileSize ??= Math.max(40, step.size ?? 300);
  const content = fileOf(line, version);
  const etag = `"v${version}"`;
  const [, start] = /^bytes=(\d+)-\d*$/.exec(seen.headers.range ?? '') ?? [];
  const match = seen.headers['if-match'];
  if (start !== undefined && match !== undefined && match !== etag)
    return respond(line, { status: 412, content: Buffer.from('changed') });
  const from = Number(start);
  if (start === undefined || from >= content.length)
    return respond(line, { status: 200, content, etag }, sending);
  const range = (at: number): string => `bytes ${at}-${content.length - 1}/${content.length}`;
  if (!isLie)
    return respond(
      line,
      { status: 206, content, from, etag, headers: { 'content-range': range(from) } },
      sending,
    );
  // The range of one place, the bytes of another.
  const at = Math.max(0, from - 3);
  const headers = { 'content-range': range(at) };
  return respond(line, { status: 206, content, from: at, etag, headers });
}

function events(line: Answering, sending: Sending = {}): Promise<void> {
  const { state, seen, step } = line;
  state.events ??= eventCount(step.size ?? 300);
  const label = `c${seen.call}`;
  const content = eventsOf(label, 1, state.events);
  const last = Number(seen.headers['last-event-id'] ?? 0);
  const from = eventsOf(label, 1, last).length;
  const headers = { 'content-type': 'text/event-stream' };
  return respond(line, { status: 200, content, from, headers, framing: 'chunked' }, sending);
}

/** True for a request for the rest of something. */
function asksForRest({ seen }: Line): 'file' | 'events' | undefined {
  if (seen.headers.range !== undefined) return 'file';
  return seen.headers['last-event-id'] === undefined ? undefined : 'events';
}

const CUT: Sending = { share: 0.5, ends: 'reset' };

/** A whole response, or the rest that was asked for. */
function whole(line: Answering, response: Partial<Response> = {}, sending: Sending = {}): Promise<void> {
  const rest = asksForRest(line);
  if (rest === 'file') return file(line, sending);
  if (rest === 'events') return events(line, sending);
  return respond(line, { ...plain(line), ...response }, sending);
}

export const BEHAVE: Readonly<Record<Behaviour, Behave>> = {
  ok: (line) => whole(line),
  chunked: (line) => whole(line, { framing: 'chunked' }),
  'until-close': (line) => whole(line, { framing: 'close' }),
  status: sendStatus,
  early: sendStatus,
  'reset-before': (line) => line.reset(),
  'close-before': (line) => line.end(),
  async 'reset-in-headers'(line) {
    line.write('HTTP/1.1 200 OK\r\ncontent-le');
    await line.pause(1);
    line.reset();
  },
  'reset-after-headers': (line) => whole(line, {}, { share: 0, ends: 'reset' }),
  'reset-in-body': (line) => whole(line, { framing: 'chunked' }, CUT),
  'close-in-body': (line) => whole(line, {}, { share: 0.5, ends: 'close' }),
  slow: (line) => whole(line, { framing: 'chunked' }, { pauseMs: 2 }),
  async late(line) {
    await line.pause(8);
    await whole(line);
  },
  async silent(line) {
    await line.pause(SILENT_MS);
    line.end();
  },
  redirect: (line) => redirect(line, here(line)),
  'redirect-away': (line) => redirect(line, away(line)),
  'redirect-dead': (line) => redirect(line, DEAD),
  informational(line) {
    line.write('HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n');
    return whole(line);
  },
  'no-content': (line) => respond(line, { status: 204, content: Buffer.alloc(0) }),
  'not-modified': (line) => respond(line, { status: 304, content: Buffer.alloc(0) }),
  gzip: (line) => respond(line, gzipped(plain(line).content, 1)),
  'gzip-cut': (line) => {
    // Framed as if it were whole: the decoder alone can see it.
    const response = gzipped(plain(line).content, 0.5);
    return respond(line, response).then(() => {
      if (line.seen.served?.sent === 'whole' && line.seen.method !== 'HEAD') line.seen.served.sent = 'short';
    });
  },
  events: (line) => events(line),
  'events-cut': (line) => events(line, CUT),
  file: (line) => file(line),
  'file-cut': (line) => file(line, CUT),
  lie: (line) => (asksForRest(line) === 'file' ? file(line, {}, true) : file(line, CUT)),
  'etag-changed': (line) =>
    asksForRest(line) === 'file' ? file(line, {}, false, 1) : file(line, { share: 0.5, ends: 'close' }),
  usage: (line) => {
    const { used = 1, size = 20 } = line.step;
    const content = usageOf(labelOf(line), used, size);
    return whole(line, { content, headers: { 'content-type': 'application/json' } });
  },
  async garbage(line) {
    line.write('220 mail.example.com ESMTP\r\n\r\n');
    await line.pause(1);
    line.end();
  },
};

/** True if a server responds so before the body of the request has arrived. */
export function isEarly({ do: does, size = 0 }: Step): boolean {
  return does === 'early' || (does === 'reset-before' && size % 2 === 0);
}
