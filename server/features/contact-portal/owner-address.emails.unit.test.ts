import { expect, test } from 'vitest';
import { fillDays } from '#server/platform/mail/mail-day.ts';
import { otherAddressEmail } from './owner-address.emails.ts';

const owner = { firstName: 'Ines', lastName: 'Ward', email: 'ines@ward.example' };
const may = Date.UTC(2027, 4, 4, 12);
const told = {
  owner,
  contactName: 'Tom Hale',
  silentSince: new Date(Date.UTC(2026, 9, 31, 12)),
  deliverAt: { notBeforeMs: may, daysAfterSending: 0 },
  isBySilence: true,
  baseUrl: 'https://everkept.example',
};
const said = (mail: { text: string }, sentAt = new Date(Date.UTC(2027, 0, 1))) =>
  fillDays(mail.text, sentAt).replace(/\s+/g, ' ');

test('the mail names the silent owner, the start of the silence, the contact who gave the address, and the next step with its day', () => {
  const mail = otherAddressEmail(told);
  expect(mail.subject).toBe('We cannot reach Ines Ward');
  const words = said(mail);
  expect(words).toMatch(/^Hello, Everkept keeps a vault for Ines Ward\. It has been silent since about October 2026/);
  expect(words).toContain(
    'Ines wrote that person’s name as “Tom Hale”. The words between the quotation marks are not ours.',
  );
  expect(words).toContain(
    'are sent on 4 May 2027 at the earliest. They are sent sooner if the people whom Ines named confirm',
  );
  expect(words).toContain('please sign in on our site with your usual email address and password');
  expect(words).toContain(
    'If you are not Ines, you can delete this email. We will not email you about this vault again.',
  );
});

test('a mail that leaves late names no day that has passed', () => {
  expect(said(otherAddressEmail(told), new Date(Date.UTC(2027, 5, 1)))).toContain(
    'are sent on 1 June 2027 at the earliest',
  );
});

test('the only link leads to the page for signing in, without a token', () => {
  const links = [...otherAddressEmail(told).html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url);
  expect(new Set(links)).toEqual(new Set(['https://everkept.example/login', 'https://everkept.example/']));
});

test('the mail promises no day if silence alone sends nothing, or no day is known', () => {
  const people = said(otherAddressEmail({ ...told, deliverAt: null, isBySilence: false }));
  expect(people).toContain('are sent as soon as they confirm that Ines has died or cannot act, and not before.');
  expect(said(otherAddressEmail({ ...told, deliverAt: null }))).toContain('No day is set yet.');
});

test('names that an older version stored lose their links and numbers', () => {
  const hostile = { firstName: 'Win at evil.com', lastName: 'call 0800 123 4567', email: owner.email };
  const mail = otherAddressEmail({ ...told, owner: hostile, contactName: 'https://evil.example/x' });
  expect(`${mail.subject} ${mail.text} ${mail.html}`).not.toMatch(/evil\.com|evil\.example|0800/);
});

test('an owner without a name is called by a part of their address', () => {
  const mail = otherAddressEmail({ ...told, owner: { firstName: '', lastName: '', email: owner.email } });
  expect(mail.subject).toBe('We cannot reach i…@ward.example');
  expect(mail.text).not.toContain(owner.email);
});
