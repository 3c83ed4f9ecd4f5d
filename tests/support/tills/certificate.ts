import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** DER of one value: its tag, its length, and what it holds. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...long]), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const utcTime = (at: Date) => der(0x17, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
const sha256WithRsa = sequence(der(0x06, Buffer.from('2a864886f70d01010b', 'hex')), der(0x05));
const commonName = Buffer.from('550403', 'hex');
const dayMs = 86_400_000;

const aroundNow = () => ({ from: new Date(Date.now() - dayMs), until: new Date(Date.now() + dayMs) });

/** A new key, and a certificate of it (RFC 5280) that it has signed itself, good for the days around now unless told. */
export function createCertificate(name: string, { from, until } = aroundNow()): { privateKey: KeyObject; pem: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const names = sequence(der(0x31, sequence(der(0x06, commonName), der(0x0c, Buffer.from(name)))));
  const days = sequence(utcTime(from), utcTime(until));
  const version3 = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const told = sequence(version3, serial, sha256WithRsa, names, days, names, key);
  const signature = der(0x03, Buffer.from([0]), sign('RSA-SHA256', told, privateKey));
  const text = sequence(told, sha256WithRsa, signature).toString('base64').replace(/.{64}/g, '$&\n');
  return { privateKey, pem: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n` };
}
