import { generateKeyPairSync, sign } from 'node:crypto';

/** Encodes a DER value: tag, length, contents. */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  const { length } = body;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), body]);
}

const sequence = (...contents: readonly Uint8Array[]): Buffer => der(0x30, ...contents);
const date = (text: string): Buffer => der(0x17, Buffer.from(text));

/** A key and a self-signed certificate for `127.0.0.1`, which no client trusts. */
export function selfSigned(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // ecdsa-with-SHA256, 1.2.840.10045.4.3.2
  const algorithm = sequence(Buffer.from('06082a8648ce3d040302', 'hex'));
  // commonName, 2.5.4.3
  const attribute = sequence(Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from('127.0.0.1')));
  const name = sequence(der(0x31, attribute));
  const version3 = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const validity = sequence(date('200101000000Z'), date('491231235959Z'));
  const publicInfo = publicKey.export({ type: 'spki', format: 'der' });
  const body = sequence(version3, serial, algorithm, name, validity, name, publicInfo);
  // A bit string begins with the number of unused bits in its last byte.
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const base64 = sequence(body, algorithm, signature).toString('base64');
  const cert = `-----BEGIN CERTIFICATE-----\n${base64.replace(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
  return { key: privateKey.export({ type: 'sec1', format: 'pem' }) as string, cert };
}
