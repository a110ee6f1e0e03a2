import { Readable } from 'node:stream';
import { FormData as UndiciFormData } from 'undici';
import { FormData as Undici7FormData } from 'undici7';
import type { BodyKind, CallPlan, Case, ClientName } from './case.ts';
import { contentOf } from './content.ts';

/** The body of a request, and what a server must see of it. */
export interface MadeBody {
  /** What the client is given. */
  readonly value: unknown;
  /** The bytes that the server must see, if it sees any; `undefined` for a form, whose boundary is random. */
  readonly bytes: Buffer | undefined;
  /** A text that is in the bytes. */
  readonly text: string;
  readonly type: string | undefined;
  /** The streams that were made. */
  readonly streams: Readable[];
}

/** Which bodies a client does not take, and what it is given in their place. */
function kindFor(client: ClientName, kind: BodyKind, hasFactory: boolean): BodyKind {
  const isNode = client === 'axios-http' || client === 'node-fetch' || client.startsWith('undici-');
  if (client === 'undici-pipeline') return kind === 'none' ? 'none' : 'node-stream';
  if (client === 'axios-xhr' && /stream|iterator|factory/.test(kind)) return 'text';
  if (kind === 'factory') return client === 'dispatcher-fetch' || !hasFactory ? 'text' : 'factory';
  if (client === 'axios-http' && (kind === 'web-stream' || kind === 'iterator')) return 'node-stream';
  if (client === 'axios-fetch' && (kind === 'node-stream' || kind === 'iterator')) return 'web-stream';
  if (client === 'node-fetch' && (kind === 'web-stream' || kind === 'iterator')) return 'node-stream';
  if (client.startsWith('undici-') && client !== 'undici-fetch') {
    if (kind === 'params') return 'text';
    if (kind === 'web-stream' && !isNode) return 'node-stream';
  }
  return kind;
}

async function* partsOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 30_000) yield new Uint8Array(bytes.subarray(at, at + 30_000));
}

/** A stream of the kind that a client takes. */
function streamFor(client: ClientName, bytes: Buffer, streams: Readable[]): unknown {
  if (client === 'fetch' || client === 'undici-fetch' || client === 'axios-fetch')
    return new Blob([new Uint8Array(bytes)]).stream();
  const made = Readable.from(partsOf(bytes), { objectMode: false });
  streams.push(made);
  return made;
}

/** @param making what a body factory does first; `undefined` without ebb, where factories do not exist */
export function makeBody(
  { client, parts: { isUndici7 } }: Case,
  number: number,
  plan: CallPlan,
  making: (() => Promise<void> | undefined) | undefined,
): MadeBody {
  const kind = kindFor(client, plan.body, making !== undefined);
  const content = contentOf(`body of c${number}`, Math.max(12, plan.bodySize));
  const text = content.toString('latin1');
  const streams: Readable[] = [];
  const of = (value: unknown, bytes: Buffer | undefined, type?: string): MadeBody => {
    return { value, bytes, text, type, streams };
  };
  const octets = 'application/octet-stream';
  switch (kind) {
    case 'none':
      return of(undefined, Buffer.alloc(0));
    case 'text':
      return of(text, content, 'text/plain');
    case 'json': {
      const value = { text };
      const bytes = Buffer.from(JSON.stringify(value));
      return of(client.startsWith('axios') ? value : bytes.toString(), bytes, 'application/json');
    }
    case 'params': {
      const value = new URLSearchParams({ text });
      return of(value, Buffer.from(value.toString()));
    }
    case 'form': {
      const isUndici = client.startsWith('undici-') || client === 'dispatcher-fetch';
      const Form = isUndici ? (isUndici7 ? Undici7FormData : UndiciFormData) : FormData;
      const form = new Form() as FormData;
      form.set('text', text);
      return of(form, undefined);
    }
    case 'blob':
      return of(new Blob([new Uint8Array(content)]), content, octets);
    case 'bytes':
      return of(new Uint8Array(content), content, octets);
    case 'array-buffer':
      return of(new Uint8Array(content).buffer, content, octets);
    case 'web-stream':
      return of(new Blob([new Uint8Array(content)]).stream(), content, octets);
    case 'node-stream': {
      const made = Readable.from(partsOf(content), { objectMode: false });
      streams.push(made);
      return of(made, content, octets);
    }
    case 'iterator':
      return of(partsOf(content), content, octets);
    case 'factory': {
      const make = (): unknown => streamFor(client, content, streams);
      const value = (): unknown => {
        const wait = making?.();
        return wait === undefined ? make() : wait.then(make);
      };
      return of(value, content, octets);
    }
  }
}
