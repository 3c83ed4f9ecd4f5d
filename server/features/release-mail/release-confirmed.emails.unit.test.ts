import { describe, expect, test } from 'vitest';
import { ownerEndedEmail } from './release.emails.ts';
import { contactConfirmedEmail } from './release-confirmed.emails.ts';
import { contactAskedEmail } from './release-contacts.emails.ts';

const baseUrl = 'https://everkept.example';
const portalUrl = `${baseUrl}/trusted-contact-admin/${'p'.repeat(43)}`;
const june = new Date('2026-06-14T10:00:00Z');
const contact = { contactName: 'Priya Shah', ownerName: 'Sam Ashworth', ownerFirstName: 'Sam', baseUrl };
const wait = { days: 3, until: june, beginsWithNotice: true };
const said = ({ text }: { text: string }) => text.replace(/\s+/g, ' ');

describe('the email after a yes', () => {
  test('names the day on which the letters go, and leads to the page that withdraws the yes', () => {
    const mail = contactConfirmedEmail(contact, {
      missing: 0,
      wait,
      portalUrl,
      hasEarlierLink: true,
      isUnderReview: false,
    });
    expect(mail.subject).toBe('Sam Ashworth: you confirmed. The messages go on 14 June 2026 at the earliest');
    expect(said(mail)).toContain('We try to reach Sam for 3 days, until 14 June 2026 at the earliest.');
    expect(said(mail)).toContain(
      'at the earliest. These days begin when our email has reached Sam’s mailbox. Then Sam’s messages go.',
    );
    expect(said(mail)).toContain('Press “Take my confirmation back” on your page.');
    expect(mail.text).toContain(portalUrl);
  });

  test('names no condition if the days run already, and no day if the owner chose 0', () => {
    const runs = { ...wait, beginsWithNotice: false };
    expect(
      said(
        contactConfirmedEmail(contact, {
          missing: 0,
          wait: runs,
          portalUrl,
          hasEarlierLink: true,
          isUnderReview: false,
        }),
      ),
    ).not.toContain('These days begin');
    const none = { ...wait, days: 0 };
    const mail = contactConfirmedEmail(contact, {
      missing: 0,
      wait: none,
      portalUrl,
      hasEarlierLink: true,
      isUnderReview: false,
    });
    expect(mail.subject).toBe('Sam Ashworth: you confirmed. The messages go soon');
    expect(said(mail)).toContain('Nothing is sent before our email has reached Sam’s mailbox.');
  });

  test('names no day if the release waits for a review, whatever days the owner chose', () => {
    for (const days of [0, 3]) {
      const reviewed = { missing: 0, wait: { ...wait, days }, portalUrl, hasEarlierLink: true, isUnderReview: true };
      const mail = contactConfirmedEmail(contact, reviewed);
      expect(mail.subject).toBe('Sam Ashworth: you confirmed. This release waits for a review');
      expect(said(mail)).toContain('nothing is sent before that has ended');
      expect(`${mail.subject} ${said(mail)}`).not.toMatch(/June|Then Sam’s messages go/);
    }
  });

  test('names the missing answers after another contact withdrew a yes, and the page of an earlier email', () => {
    const mail = contactConfirmedEmail(contact, {
      missing: 1,
      wait: null,
      portalUrl: null,
      hasEarlierLink: true,
      isUnderReview: false,
    });
    expect(mail.subject).toBe('Sam Ashworth: your confirmation still counts');
    expect(said(mail)).toContain('nothing goes before one more person confirms');
    expect(said(mail)).toContain('on the page that our earlier email leads to');
    expect(mail.text).not.toContain('/trusted-contact-admin/');
  });

  test('names no page to a trustee who has none', () => {
    const mail = contactConfirmedEmail(contact, {
      missing: 0,
      wait,
      portalUrl: null,
      hasEarlierLink: false,
      isUnderReview: false,
    });
    expect(said(mail)).toContain('If you hear from Sam, please ask them to sign in. That stops everything.');
  });
});

describe('the email to the owner after an early request has ended', () => {
  const owner = { firstName: 'Sam', baseUrl, lastActivityAt: june, silentDays: 3, contactNames: ['Priya'] };
  const ended = (why: 'no' | 'nobody_answered') =>
    ownerEndedEmail({ ...owner, checkInUrl: `${baseUrl}/check-in/token`, why });

  test('by Cancel Release tells the owner to log in now', () => {
    expect(ended('no').subject).toBe('Sam, please log in now');
    expect(said(ended('no'))).toContain('Please log in now, or press Check in');
  });

  test('without answers only tells the owner of the end', () => {
    expect(ended('nobody_answered').subject).toBe('Sam, the request for your messages has ended');
    expect(said(ended('nobody_answered'))).not.toContain('log in');
  });
});

test('a question about an owner whom no reminder reached asks first for another address of the owner', () => {
  const asked = { ...contact, lastActivityAt: june, portalUrl, deadline: { days: 97 }, quorum: 1, contactCount: 1 };
  const unreached = said(contactAskedEmail({ ...asked, cause: 'silence', wasReached: false }));
  expect(unreached).toMatch(
    /^Hello Priya, Our emails do not reach Sam Ashworth\. Do you know another email address of Sam\? .*If Sam has died/,
  );
  expect(unreached).toContain('none of our reminders could be delivered. If you know how to reach Sam, please ask');
  expect(unreached).not.toContain('two reminders had no answer');
  const reached = said(contactAskedEmail({ ...asked, cause: 'silence' }));
  expect(reached).toContain('two reminders had no answer');
  expect(reached).not.toContain('another email address');
  expect(said(contactAskedEmail({ ...asked, cause: 'emergency', wasReached: false }))).not.toContain('another email');
});
