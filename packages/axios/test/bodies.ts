import { Readable } from 'node:stream';
import FormDataPackage from 'form-data';
import type { ReceivedRequest } from '../../../test/server.ts';

export const BYTES: Uint8Array<ArrayBuffer> = new TextEncoder().encode('text');

/** A body as the server received it, with the headers that describe it. */
export function sentBody({ body, headers }: ReceivedRequest): {
  readonly body: string;
  readonly type: string | undefined;
  readonly length: string | undefined;
} {
  // Each form has a new boundary, and fetch makes one for each attempt.
  const boundary = /(?:^|\n)--(\S+)--\s*$/.exec(body)?.[1] ?? 'no boundary';
  return {
    body: body.replaceAll(boundary, 'BOUNDARY'),
    type: headers['content-type']?.replaceAll(boundary, 'BOUNDARY'),
    length: headers['content-length'],
  };
}

/** A Node stream that never ends by itself. */
export const openStream = (): Readable => new Readable({ read: () => undefined });

/** A Node stream that has one part, and never ends. */
export function begunStream(): Readable {
  const stream = openStream();
  stream.push('begun');
  return stream;
}

export const webStream = (text: string): ReadableStream => new Blob([text]).stream();

/** A form of the `form-data` package. */
export function formOf(
  ...parts: [name: string, value: unknown, options?: FormDataPackage.AppendOptions][]
): FormDataPackage {
  const form = new FormDataPackage();
  for (const [name, value, options] of parts) form.append(name, value, options);
  return form;
}

export function nativeForm(): FormData {
  const form = new FormData();
  form.set('field', 'välue');
  form.set('file', new Blob(['text'], { type: 'text/plain' }), 'a.txt');
  return form;
}
