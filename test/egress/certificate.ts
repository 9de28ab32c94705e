/** A certificate for `localhost`, signed by itself: nobody trusts it who was not told to. */
import { generateKeyPairSync, sign } from 'node:crypto';

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const long = body.length > 127;
  const size = long ? [0x82, body.length >> 8, body.length & 0xff] : [body.length];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const id = (text: string) => der(0x06, hex(text));

const ECDSA = sequence(id('2a8648ce3d040302'));
const NAME = sequence(der(0x31, sequence(id('550403'), der(0x0c, Buffer.from('localhost')))));
const date = (year: number) => der(0x18, Buffer.from(`${year}0101000000Z`));

export function certificate(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const authority = sequence(id('551d13'), der(0x04, sequence(der(0x01, hex('ff')))));
  const names = sequence(id('551d11'), der(0x04, sequence(der(0x82, Buffer.from('localhost')))));
  const facts = sequence(
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, hex('01')),
    ECDSA,
    NAME,
    sequence(date(2020), date(2120)),
    NAME,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(authority, names)),
  );
  const signature = der(0x03, hex('00'), sign('sha256', facts, privateKey));
  const text = sequence(facts, ECDSA, signature).toString('base64').replaceAll(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  };
}
