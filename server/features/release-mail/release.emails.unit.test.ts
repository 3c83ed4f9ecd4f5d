import { describe, expect, test } from 'vitest';
import {
  breakerEmail,
  mailboxReviewEmail,
  ownerFreezeEmail,
  unnotifiedOwnerEmail,
} from '#server/features/release-health/operator.emails.ts';
import {
  type Mail,
  ownerAskedEmail,
  ownerEarlyEmail,
  ownerEndedEmail,
  ownerFewerContactsEmail,
  ownerHoldingEmail,
  ownerPausedEmail,
  ownerReleasingEmail,
  ownerWaitGoesOnEmail,
} from './release.emails.ts';
import { askText, noticeText, reminderText } from './release.texts.ts';
import { joinNames } from './release.words.ts';
import {
  contactAskedEmail,
  contactEndedEmail,
  contactHaltedEmail,
  contactPausedEmail,
  contactStoppedEmail,
} from './release-contacts.emails.ts';
import { contactDelayedEmail, ownerDelayedEmail } from './release-delayed.emails.ts';
import { contactReleasedEmail } from './release-done.emails.ts';
import { firstReminderEmail, lastReminderEmail, nudgeEmail } from './release-reminders.emails.ts';
import { ownerLettersWaitEmail, ownerRestoredEmail } from './release-restored.emails.ts';
import { ownerHaltedEmail, welcomeBackEmail } from './release-return.emails.ts';
import { standingLine } from './standing.words.ts';

const standing = standingLine({ before: 'As things stand, nothing would be sent.', names: [], after: '' });
const baseUrl = 'https://everkept.example';
const checkInUrl = `${baseUrl}/check-in/${'t'.repeat(43)}`;
const portalUrl = `${baseUrl}/trusted-contact-admin/${'p'.repeat(43)}`;
const june = new Date('2026-06-14T10:00:00Z');
const owner = {
  firstName: 'Sam <b>',
  baseUrl,
  checkInUrl,
  lastActivityAt: new Date('2026-01-02T10:00:00Z'),
  silentDays: 170,
  contactNames: ['Priya', 'Tom'],
};
const contact = { contactName: 'Priya Shah', ownerName: 'Sam <b> Ashworth', ownerFirstName: 'Sam <b>', baseUrl };
const asked = {
  ...contact,
  lastActivityAt: owner.lastActivityAt,
  portalUrl,
  deadline: { days: 7 },
  quorum: 1,
  contactCount: 2,
};
const reminded = { ...owner, askAt: june, hasAsked: false, outlook: 'question', standing } as const;
const stopped = { askAgainDays: 30, canOthersConfirm: false };
const open = { missing: 1, waitingDays: 0 };

const toOwner: Record<string, Mail> = {
  nudge: nudgeEmail({ ...owner, standing }),
  'first reminder': firstReminderEmail({ ...reminded, lastReminderAt: june }),
  'last reminder': lastReminderEmail(reminded),
  'last reminder, nobody to ask': lastReminderEmail({ ...reminded, outlook: 'letters', contactNames: [] }),
  'last reminder, nothing ready': lastReminderEmail({ ...reminded, outlook: 'nothing' }),
  asked: ownerAskedEmail({ ...owner, deliverAt: june }),
  'asked, nobody there': ownerAskedEmail({ ...owner, contactNames: [], deliverAt: june }),
  'asked, people decide': ownerAskedEmail({ ...owner, deliverAt: null }),
  emergency: ownerEarlyEmail({ ...owner, cause: 'emergency', prospect: open }),
  trustee: ownerEarlyEmail({ ...owner, cause: 'trustee', prospect: open }),
  paused: ownerPausedEmail({ ...owner, prospect: stopped }),
  holding: ownerHoldingEmail({ ...owner, waitingDays: 1, until: june, isUnderReview: false }),
  'holding, under review': ownerHoldingEmail({ ...owner, waitingDays: 1, until: june, isUnderReview: true }),
  releasing: ownerReleasingEmail(owner),
  restored: ownerRestoredEmail({ ...owner, backupAt: june, isReleasing: true }),
  'letters wait': ownerLettersWaitEmail({ ...owner, isReleasing: true }),
  'the wait goes on': ownerWaitGoesOnEmail({ ...owner, until: june, isUnderReview: false }),
  'the wait goes on, under review': ownerWaitGoesOnEmail({ ...owner, until: june, isUnderReview: true }),
  'request ended': ownerEndedEmail({ ...owner, why: 'no' }),
  delayed: ownerDelayedEmail({ ...owner, deliverAt: { notBeforeMs: june.getTime(), daysAfterSending: 0 } }),
  'fewer contacts': ownerFewerContactsEmail({ ...owner, needed: 2, left: 1 }),
};
const withoutCheckIn: Record<string, Mail> = {
  'letters wait for their days': ownerLettersWaitEmail({ ...owner, isReleasing: false }),
  'welcome back': welcomeBackEmail({ ...owner, standing }),
  halted: ownerHaltedEmail({ ...owner, counts: { cancelled: 1, withdrawn: 2, opened: 1, sent: 3, mayArrive: 1 } }),
  'halted in time': ownerHaltedEmail({
    ...owner,
    counts: { cancelled: 3, withdrawn: 0, opened: 0, sent: 0, mayArrive: 0 },
  }),
  'halted at the door': ownerHaltedEmail({
    ...owner,
    counts: { cancelled: 1, withdrawn: 0, opened: 0, sent: 0, mayArrive: 2 },
  }),
  'contact paused': contactPausedEmail(contact, { ...stopped, part: 'none' }),
  'contact told of a later day': contactDelayedEmail(contact, {
    deliverAt: { notBeforeMs: june.getTime(), daysAfterSending: 0 },
  }),
  'operator, of an owner nobody can reach': unnotifiedOwnerEmail({ account: 'ada@people.example', baseUrl }),
  'contact stopped': contactStoppedEmail(contact),
  'request ended, to a contact': contactEndedEmail(contact, { why: 'nobody_answered' }),
  'contact halted': contactHaltedEmail(contact, { sent: 'some' }),
  'contact halted at the door': contactHaltedEmail(contact, { sent: 'may_arrive' }),
  'contact released': contactReleasedEmail(contact, {
    keepsPage: true,
    messages: { arrived: 3, partly: 0, failed: 1, later: 0 },
  }),
  operator: breakerEmail({ limit: 10, accounts: ['ada@people.example'], baseUrl }),
  'operator, of a mailbox': mailboxReviewEmail({
    mailbox: 'tom@post.example',
    accounts: ['ada@people.example'],
    baseUrl,
  }),
  stopped: ownerFreezeEmail({ firstName: owner.firstName, isFrozen: true, baseUrl }),
  'let go on': ownerFreezeEmail({ firstName: owner.firstName, isFrozen: false, baseUrl }),
};
const asking: Record<string, Mail> = {
  silence: contactAskedEmail({ ...asked, cause: 'silence' }),
  emergency: contactAskedEmail({ ...asked, cause: 'emergency', deadline: null }),
  trustee: contactAskedEmail({ ...asked, cause: 'trustee', deadline: null }),
  'a wait that has begun': contactAskedEmail({
    ...asked,
    cause: 'trustee',
    deadline: null,
    wait: { days: 3, until: june, isBegun: true, isUnderReview: false },
  }),
};

describe('every mail', () => {
  for (const [name, mail] of Object.entries({ ...toOwner, ...withoutCheckIn, ...asking })) {
    test(`${name}: whole words in both parts, names escaped, no shouting, one subject line`, () => {
      expect(mail.subject).toMatch(/^[^\r\n!]{10,120}$/);
      for (const part of [mail.html, mail.text]) expect(part).not.toMatch(/undefined|null|NaN|\[object|\[date\]/);
      expect(mail.text).not.toContain('!');
      expect(mail.html).not.toContain('Sam <b>');
      expect(mail.text).toContain('You get this because');
    });
  }

  for (const [name, mail] of Object.entries(toOwner)) {
    test(`${name}: carries the way to stop, once as a button and once written out`, () => {
      expect(mail.text.split(checkInUrl)).toHaveLength(2);
      expect(mail.html.split(checkInUrl).length).toBeGreaterThan(2);
    });
  }

  for (const [name, mail] of Object.entries(asking)) {
    test(`asking after ${name}: names the owner in the subject and both answers in the text`, () => {
      expect(mail.subject).toContain('Sam');
      expect(mail.text).toContain(portalUrl);
      expect(mail.text).toContain('Cancel Release');
    });
  }
});

test('dates are given as a person in London writes them', () => {
  expect(toOwner['last reminder']?.subject).toBe('Check in before 14 June 2026, or we will ask Priya and Tom');
  expect(asking.silence?.text).toContain('2 January 2026');
});

test('the number of letters opened before the owner came back is named', () => {
  expect(withoutCheckIn.halted?.text.replace(/\s+/g, ' ')).toContain(
    '3 letters had been sent. Of these, 1 letter had been opened.',
  );
});

test('a stopped release promises nothing of what the mail server was already given', () => {
  const words = withoutCheckIn.stopped?.text.replace(/\s+/g, ' ');
  expect(words).toContain('no new deliveries. Emails that were waiting for your contacts or recipients wait too.');
  expect(words).toContain('An email that was sent before can still arrive.');
  expect(words).not.toContain('nothing is delivered');
});

test('texts say who, why and what to press', () => {
  const sam = { firstName: 'Sam', silentDays: 80, checkInUrl };
  expect(reminderText({ ...sam, canAnswer: true }, 'last')).toBe(
    `Everkept: Sam, we have not heard from you for 80 days. This is our last reminder. Reply YES (or STOP to end the texts), or check in: ${checkInUrl}`,
  );
  expect(noticeText({ ...sam, canAnswer: true }, 'wait')).toContain(
    'To stop it, reply YES (STOP would only end the texts), or check in',
  );
  // A sender name takes no answers, so none is asked for.
  expect(noticeText({ ...sam, canAnswer: false }, 'wait')).toMatch(/To stop it, check in: \S+$/);
  expect(noticeText({ ...sam, canAnswer: false, askedContacts: 1 }, 'asked')).toBe(
    `Everkept: Sam, we have not heard from you for 80 days and have asked your contact about you. To stop it, check in: ${checkInUrl}`,
  );
  expect(noticeText({ ...sam, canAnswer: false }, 'paused'), 'nothing is left to stop').not.toContain('To stop it');
  expect(askText({ ownerName: 'Sam Ashworth', portalUrl })).toContain(portalUrl);
});

test('names are joined as in a sentence', () => {
  expect([[], ['Priya'], ['Priya', 'Tom'], ['Priya', 'Tom', 'Ann']].map(joinNames)).toEqual([
    '',
    'Priya',
    'Priya and Tom',
    'Priya, Tom and Ann',
  ]);
});
