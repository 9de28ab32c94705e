/** A self-signed certificate for one name: only programs that are told to do so trust it. */
import { generateKeyPairSync, sign } from 'node:crypto';

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const { length } = body;
  // The shortest form: some readers take no other.
  const size = length > 255 ? [0x82, length >> 8, length & 0xff] : length > 127 ? [0x81, length] : [length];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const id = (text: string) => der(0x06, hex(text));

const ECDSA = sequence(id('2a8648ce3d040302'));
const date = (year: number) => der(0x18, Buffer.from(`${year}0101000000Z`));

/** `authority`: it may sign others, itself too. Some programs take only such a one as a root, some none such as a server's. */
export function certificate(host = 'localhost', authority = true): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(id('550403'), der(0x0c, Buffer.from(host)))));
  const mayItself = sequence(id('551d13'), der(0x04, sequence(der(0x01, hex('ff')))));
  const names = sequence(id('551d11'), der(0x04, sequence(der(0x82, Buffer.from(host)))));
  const facts = sequence(
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, hex('01')),
    ECDSA,
    name,
    sequence(date(2020), date(2120)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...(authority ? [mayItself] : []), names)),
  );
  const signature = der(0x03, hex('00'), sign('sha256', facts, privateKey));
  const text = sequence(facts, ECDSA, signature).toString('base64').replaceAll(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  };
}
