import { Readable } from 'node:stream';

export const nodeStream = (text: string): unknown => Readable.from([Buffer.from(text)]);
