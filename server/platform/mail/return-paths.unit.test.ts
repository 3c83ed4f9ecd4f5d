import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createReturnPaths } from './return-paths.ts';

const signWith = (key: string) => (text: string) => createHmac('sha256', key).update(text).digest('base64url');
const sign = signWith('ours');
const paths = createReturnPaths({ mailbox: 'bounces@everkept.example', sign });
const newKey = () => randomBytes(16).toString('hex');
const mail = { key: newKey(), series: 3 };

describe('a return path', () => {
  test('names its mail and its try, and is an address below the mailbox', () => {
    const address = paths.of(mail) ?? '';
    expect(address).toMatch(/^bounces\+[0-9a-z]{39}@everkept\.example$/);
    expect(paths.read(address)).toEqual(mail);
    expect(paths.read(address.toUpperCase()), 'in capitals').toEqual(mail);
    expect(paths.of({ ...mail, series: 4 }), 'of another series').not.toBe(address);
  });

  test('the return paths of a thousand mails are read again, whatever their keys begin with', () => {
    const mails = Array.from({ length: 1_000 }, (_, series) => ({ key: newKey(), series }));
    mails.push({ key: '0'.repeat(32), series: 0 });
    for (const each of mails) expect(paths.read(paths.of(each) ?? '')).toEqual(each);
  });

  test('that is changed, made up or of another installation names nothing', () => {
    const address = paths.of(mail) ?? '';
    const at = address.indexOf('+') + 20;
    const others = [
      address.slice(0, at) + (address[at] === 'a' ? 'b' : 'a') + address.slice(at + 1),
      address.replace('bounces+', 'other+'),
      createReturnPaths({ mailbox: 'bounces@everkept.example', sign: signWith('theirs') }).of(mail) ?? '',
      `bounces+${'z'.repeat(39)}@everkept.example`,
      `bounces+${'0'.repeat(39)}@everkept.example`,
      'bounces@everkept.example',
      'bounces+@everkept.example',
      '+',
      '',
    ];
    for (const other of others) expect(paths.read(other), other).toBeNull();
  });

  test('is none where the name of the mailbox leaves no room for a tag', () => {
    const long = createReturnPaths({ mailbox: `${'a'.repeat(30)}@everkept.example`, sign });
    expect(long.of(mail)).toBeUndefined();
  });

  test('is found in a text, as we wrote it and inside an address of another server', () => {
    const address = paths.of(mail) ?? '';
    const [local = '', domain = ''] = address.split('@');
    for (const text of [
      `Return-Path: <${address}>`,
      `To: ${address.toUpperCase()}`,
      `prvs=1234567890=${address}`,
      `SRS0=HHH=TT=${domain}=${local}@forwarder.example`,
      `SRS1=HHH=first.example==HHH=TT=${domain}=${local}@second.example`,
    ]) {
      expect(paths.find(`Received: by x\r\n${text}\r\n`), text).toEqual([mail]);
    }
    expect(paths.find(`${address} ${address}`), 'each once').toEqual([mail]);
  });

  test('that is longer, of another mailbox or not signed by us is found in no text', () => {
    const address = paths.of(mail) ?? '';
    for (const text of [`a${address}`, address.replace('@', '0@'), `bounces+${'z'.repeat(39)}@everkept.example`, '']) {
      expect(paths.find(text), text).toEqual([]);
    }
  });
});
