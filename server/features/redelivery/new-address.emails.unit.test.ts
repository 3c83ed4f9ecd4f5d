import { expect, test } from 'vitest';
import { agreeWithAddressEmail, lookAgainEmail, ownerNewAddressEmail } from './new-address.emails.ts';

const baseUrl = 'https://everkept.example';
const checkInUrl = `${baseUrl}/check-in/${'t'.repeat(43)}`;
const planned = {
  baseUrl,
  checkInUrl,
  byName: 'Priya',
  sendsAt: null,
  agrees: 'contact' as const,
  isSent: false,
  isReviewed: false,
};
const wordsOf = ({ text }: { text: string }) => text.replace(/\s+/g, ' ');

test('an owner is named in the subject where we know their name', () => {
  const [named, unnamed] = ['Sam', null].map((firstName) => ownerNewAddressEmail({ ...planned, firstName }));
  expect(named?.subject).toBe('Sam, a message of yours may go to another address');
  expect(unnamed?.subject).toBe('A message of yours may go to another address');
});

test('nothing is said of an address but that it did not accept our email', () => {
  const words = wordsOf(ownerNewAddressEmail({ ...planned, firstName: 'Sam' }));
  expect(words).toContain(
    'has not reached its reader: the last address we had did not accept our email, or it was not opened there.',
  );
});

test('an unproven claim of a contact is not called a fact', () => {
  const contact = { contactName: 'Tom Reid', ownerName: 'Sam Ashworth', ownerFirstName: 'Sam', baseUrl };
  const url = `${baseUrl}/new-address/${'n'.repeat(43)}`;
  const words = wordsOf(agreeWithAddressEmail(contact, { byName: 'Priya', url, sendsAt: null, isReviewed: false }));
  expect(words).toContain('Priya has told us another address of somebody we could not reach for Sam.');
});

test('after a restore a contact hears that their proposal has ended, whatever became of it, and how to make it again', () => {
  const contact = { contactName: 'Priya Shah', ownerName: 'Sam Ashworth', ownerFirstName: 'Sam', baseUrl };
  const url = `${baseUrl}/new-address/${'n'.repeat(43)}`;
  const mail = lookAgainEmail(contact, { backupAt: new Date('2026-11-14T09:00:00Z'), url });
  expect(mail.subject).toBe('Sam Ashworth: please look again at the address you told us');
  expect(wordsOf(mail)).toContain('go back to our records of 14 November 2026.');
  expect(wordsOf(mail)).toContain('your proposal has ended');
  expect(mail.text.split(url)).toHaveLength(2);
});
