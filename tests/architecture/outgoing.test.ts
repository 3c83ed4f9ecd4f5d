import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSources, repository, type Source } from './sources.ts';

/** Promises about people's text that no request can show, so they are checked in the code. */

const isProduct = ({ path }: Source) =>
  /^(server|shared|web)\//.test(path) && !/\.(test|test-world|fixture|test-server)\.tsx?$/.test(path);
const product = readSources().filter(isProduct);
const filesWith = (pattern: RegExp, sources: readonly Source[] = product) =>
  sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

/** Everything that opens a connection, by itself or through a library of a provider; but for those to the database. */
const reaching =
  /\bfetch\(|\bconnect\b[^;]*from 'node:(net|tls)'|\brequest\b[^;]*from 'node:https?'|^import (?!type)[^;]*from '(nodemailer|imapflow|openid-client|stripe|twilio|undici|@aws-sdk\/[^']+)'/m;

/** The one address that comes from people is that of a push service, which `subscription.ts` and an agent check. */
test('the server reaches out from these files alone, and each but one has its address from the settings', () => {
  const server = product.filter(({ path }) => path.startsWith('server/'));
  expect(filesWith(reaching, server).toSorted()).toEqual([
    'server/platform/files/s3-store.ts',
    'server/platform/identity/openid-provider.ts',
    'server/platform/mail/bounce-mailbox.ts',
    'server/platform/mail/smtp-mailer.ts',
    'server/platform/payments/paypal-client.ts',
    'server/platform/payments/paypal-signature.ts',
    'server/platform/payments/stripe-provider.ts',
    'server/platform/push/post.ts',
    'server/platform/scanner/clamav-scanner.ts',
    'server/platform/site/ask-site.ts',
    'server/platform/site/ask.ts',
    'server/platform/sms/twilio-replies.ts',
    'server/platform/sms/twilio-texter.ts',
  ]);
});

test('nothing that is written becomes a command, a script, a template or a page as it is', () => {
  expect(filesWith(/\beval\(|new Function\b|\bexecSync\(|\bexec\b[^;]*from 'node:child_process'|shell: true/)).toEqual(
    [],
  );
  expect(filesWith(/dangerouslySetInnerHTML|\.innerHTML\b|insertAdjacentHTML|document\.write\b/)).toEqual([]);
  // Programs that are started: the database's, with words of ours, and this one again.
  expect(
    filesWith(/from 'node:child_process'/).filter((path) => !path.startsWith('server/platform/db/embedded/')),
  ).toEqual(['server/keep-running.ts']);
  expect(filesWith(/from 'node:vm'/)).toEqual([]);
});

test('no picture is opened by the server: no library that could is among the packages of production', () => {
  const { dependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  expect(
    Object.keys(dependencies).filter((name) => /sharp|jimp|canvas|image|magick|pngjs|jpeg|gif/i.test(name)),
  ).toEqual(['image-size']);
  // Reads the first bytes of a file, and none of its pixels.
  expect(filesWith(/'image-size'/)).toEqual(['server/platform/files/picture-size.ts']);
  // Puts a JPEG into a document unchanged, and accepts no other kind.
  expect(filesWith(/\.image\(/)).toEqual(['server/platform/pdf/book-pictures.ts']);
});

test('one file of the server reads phone numbers, and no page carries the numbers of the world', () => {
  expect(filesWith(/'libphonenumber-js/)).toEqual(['server/platform/sms/phone-number.ts']);
});
