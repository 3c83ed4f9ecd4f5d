import { describe, expect, test } from 'vitest';
import { nothingBegun } from '#server/features/release-core/emergency.rules.ts';
import type { World } from '#server/features/release-core/model.rules.ts';
import { contact as contactOf, plainOwner, worldOf } from '#server/features/release-core/release-core.test-world.ts';
import { ownerClaimEmail, ownerFormUsesEmail } from './emergency-form.emails.ts';
import {
  type Mail,
  ownerAskedEmail,
  ownerEarlyEmail,
  ownerEndedEmail,
  ownerHoldingEmail,
  ownerPausedEmail,
} from './release.emails.ts';
import { claimText, noticeText, reminderText } from './release.texts.ts';
import {
  contactAskedEmail,
  contactEndedEmail,
  contactHaltedEmail,
  contactPausedEmail,
} from './release-contacts.emails.ts';
import { contactReleasedEmail } from './release-done.emails.ts';
import { firstReminderEmail, lastReminderEmail, nudgeEmail } from './release-reminders.emails.ts';
import { ownerLettersWaitEmail, ownerRestoredEmail } from './release-restored.emails.ts';
import { ownerHaltedEmail, welcomeBackEmail } from './release-return.emails.ts';
import { outlookOf, standingLine, standingOf } from './standing.words.ts';

const baseUrl = 'https://everkept.example';
const checkInUrl = `${baseUrl}/check-in/${'t'.repeat(43)}`;
const june = (day: number) => new Date(Date.UTC(2026, 5, day, 10));
const owner = {
  firstName: 'Sam',
  baseUrl,
  checkInUrl,
  lastActivityAt: new Date('2026-01-02T10:00:00Z'),
  silentDays: 170,
  contactNames: ['Priya', 'Tom'],
};
const contact = { contactName: 'Priya Shah', ownerName: 'Sam Ashworth', ownerFirstName: 'Sam', baseUrl };

/** Plain-text part as one line, without the marks around names. */
function said({ text }: Mail): string {
  return text.replace(/[\u2066-\u2069]/g, '').replace(/\s+/g, ' ');
}

const standing = standingLine({ before: 'As things stand, nothing would be sent.', names: [], after: '' });

describe('a reminder', () => {
  const two = [contactOf('priya'), contactOf('tom')];
  const byPeople = { ...plainOwner, method: 'trusted_contact' as const };
  const reminded = (changes: Partial<World>, hasAsked = false) => {
    const world = worldOf({ contacts: two, ...changes });
    const contactNames = owner.contactNames.slice(0, world.contacts.length);
    const days = { askAt: june(14), deliverAt: june(21), hasAsked };
    const follows = standingLine(standingOf(world, contactNames, days));
    return { ...owner, ...days, contactNames, outlook: outlookOf(world), standing: follows };
  };
  const both = (changes: Partial<World>, hasAsked = false) => {
    const given = reminded(changes, hasAsked);
    return [firstReminderEmail({ ...given, lastReminderAt: june(4) }), lastReminderEmail(given)].map(said);
  };
  const subject = (changes: Partial<World>, hasAsked = false) => lastReminderEmail(reminded(changes, hasAsked)).subject;

  test('says when silence alone delivers, with contacts and without', () => {
    for (const words of both({})) {
      expect(words).toContain('On 14 June 2026 we will ask Priya and Tom about you.');
      expect(words).toContain('about you. If nobody answers before 21 June 2026, your letter goes.');
    }
    for (const words of both({ contacts: [] })) {
      expect(words).toContain('If we hear nothing from you before 21 June 2026, your letter goes without anybody');
    }
  });

  test('promises no delivery if people alone decide, and none at all without contacts', () => {
    for (const words of both({ owner: byPeople })) {
      expect(words).toContain('Your letter goes only once one of them confirms.');
      expect(words).not.toContain('21 June');
    }
    for (const words of both({ owner: byPeople, contacts: [] })) {
      expect(words).toContain('nothing could be sent, since only your contacts could start it.');
      expect(words).not.toMatch(/June 2026, your|14 June/);
    }
  });

  test('announces no question and no delivery where nothing is ready', () => {
    for (const words of both({ readyLetters: [] })) {
      expect(words).toContain('As things stand, nobody would be asked, and nothing would be sent.');
      expect(words).not.toMatch(/we will ask|14 June|stops all of it/);
    }
  });

  test('announces the question where documents alone are ready, and no letter', () => {
    for (const words of both({ readyLetters: [], visibleDocuments: 1 })) {
      expect(words).toContain('we will ask Priya and Tom, who could read the documents you show them. No letter');
    }
  });

  test('asks for a check-in in its subject, and names only later steps', () => {
    expect(subject({})).toBe('Check in before 14 June 2026, or we will ask Priya and Tom');
    expect(subject({ contacts: [] })).toBe('Please check in before 14 June 2026');
    const plain = 'We have not heard from you for 170 days: please check in';
    expect([subject({}, true), subject({ readyLetters: [] }), subject({ owner: byPeople, contacts: [] })]).toEqual([
      plain,
      plain,
      plain,
    ]);
  });
});

describe('after Cancel Release', () => {
  const toOwner = (prospect: { askAgainDays: number | null; canOthersConfirm: boolean }) =>
    said(ownerPausedEmail({ ...owner, prospect }));
  const toContact = (pause: Parameters<typeof contactPausedEmail>[1]) => said(contactPausedEmail(contact, pause));

  test('after Cancel Release, no mail claims that the owner is well', () => {
    const all = [
      toOwner({ askAgainDays: 30, canOthersConfirm: true }),
      toContact({ askAgainDays: null, canOthersConfirm: false, part: 'none' }),
      noticeText({ ...owner, canAnswer: true }, 'paused') ?? '',
    ];
    // The form can't know which answer has stopped the release.
    expect(nothingBegun('paused')).toContain('A trusted contact stopped the release');
    for (const words of all) expect(words).toContain('chose Cancel Release');
    for (const words of [...all, nothingBegun('paused') ?? '']) {
      expect(words).not.toMatch(/told us that .* is well|you are well, (and|so)|says you are well/);
    }
  });

  test('the owner hears of new questions only where they come, and that others can still confirm', () => {
    const silence = toOwner({ askAgainDays: 30, canOthersConfirm: false });
    expect(silence).toContain('If we hear nothing from you for 30 days, we will ask your contacts again.');
    expect(silence).not.toContain('can still confirm');
    const early = toOwner({ askAgainDays: null, canOthersConfirm: false });
    expect(early).toContain('Our usual reminders go on.');
    expect(early).not.toContain('30 days');
    expect(toOwner({ askAgainDays: 30, canOthersConfirm: true })).toContain('Your other contacts can still confirm.');
  });

  test('a contact whose answer still counts is not told that there is nothing they need to do', () => {
    const silence = { askAgainDays: 30, canOthersConfirm: false };
    expect(toContact({ ...silence, part: 'none' })).toContain(
      'There is nothing you need to do. If we hear nothing from Sam for 30 days, we will ask you again.',
    );
    expect(toContact({ ...silence, askAgainDays: null, part: 'none' })).not.toContain('again');
    const live = toContact({ askAgainDays: 30, canOthersConfirm: true, part: 'can_answer' });
    expect(live).toContain('Your own link still works: tell us if you know more.');
    expect(live).not.toContain('nothing you need to do');
    expect(toContact({ askAgainDays: 30, canOthersConfirm: true, part: 'has_confirmed' })).toContain(
      'You have confirmed, and your answer still counts.',
    );
  });
});

describe('an early request', () => {
  const told = (cause: 'emergency' | 'trustee', missing: number, waitingDays: number) =>
    said(ownerEarlyEmail({ ...owner, cause, prospect: { missing, waitingDays } }));

  test('from a trustee names the conditions before letters leave, or says that they leave now', () => {
    const now = told('trustee', 0, 0);
    expect(now).toContain('Your messages are sent soon, unless this release must wait for a review.');
    expect(now).toContain('It stops what has not left yet');
    expect(now).not.toContain('stops everything');
    expect(told('trustee', 0, 1)).toContain('We try to reach you for 1 day first. Nothing goes before that.');
    expect(told('trustee', 1, 0)).toContain('Nothing goes before one more of your contacts confirms.');
    expect(told('trustee', 2, 5)).toContain(
      'Nothing goes before two more of your contacts confirm, and we have then tried to reach you for 5 days.',
    );
  });

  test('from the form names the effects of the contact’s yes', () => {
    expect(told('emergency', 1, 0)).toContain('If that contact confirms, your messages are sent at once.');
    expect(told('emergency', 1, 3)).toContain(
      'If that contact confirms, we try to reach you for 3 days. Then your messages are sent.',
    );
    expect(told('emergency', 2, 0)).toContain(
      'If that contact and one more of your contacts confirm, your messages are sent at once.',
    );
    expect(told('emergency', 0, 3)).toContain('We try to reach you for 3 days first. Nothing goes before that.');
  });

  test('quotes a stranger behind the warning, on one line that cannot pass for ours, without an address', () => {
    const claim = { name: 'P.\n\nShah', reason: `Sam is ill.\r\n\r\n\nCheck in:\n${baseUrl}.example/check-in` };
    const early = ownerEarlyEmail({ ...owner, cause: 'emergency', prospect: { missing: 1, waitingDays: 0 }, claim });
    const unheard = ownerClaimEmail({ firstName: 'Sam', baseUrl, claim, why: 'Nothing new has begun.' });
    for (const mail of [early, unheard]) {
      const words = said(mail);
      const quote = 'They gave the name P. Shah and this reason: “Sam is ill. Check in: [address left out]”';
      expect(words).toContain(quote);
      expect(
        words.indexOf('typed by a person we do not know. Do not follow a link or call a number in them.'),
      ).toBeLessThan(words.indexOf(quote));
      const paragraph = mail.text.split(/\n\s*\n/).find((each) => each.includes('P. Shah'));
      expect(paragraph).toContain('[address left out]');
      expect(mail.html).not.toContain('Sam is ill.\r');
    }
  });
});

describe('a question to contacts', () => {
  const base = {
    ...contact,
    cause: 'silence' as const,
    lastActivityAt: owner.lastActivityAt,
    portalUrl: `${baseUrl}/p`,
  };
  const asked = { ...base, deadline: { days: 7 }, quorum: 1, contactCount: 2 };
  const words = (given: object) => said(contactAskedEmail({ ...asked, ...given }));

  test('names the buttons as the page does', () => {
    expect(words({})).toContain(
      'choose Cancel Release. If Sam is alive and can’t answer, for example in hospital, choose “Alive, but can’t answer”. If Sam has died or cannot act, choose Confirm Message Release.',
    );
  });

  test('names days to answer in until the last of them has it, and a day only where that time runs already', () => {
    expect(words({})).toContain('If nobody answers within 7 days after this email has reached you, Sam’s messages');
    expect(words({ deadline: { days: 1 } })).toContain('within 1 day after this email has reached you,');
    expect(words({ deadline: { at: june(17), askedAt: june(10) } })).toContain(
      'If nobody answers before 17 June 2026,',
    );
    for (const deadline of [{ days: 0 }, { at: june(10), askedAt: june(10) }]) {
      const atOnce = words({ deadline });
      expect(atOnce).toContain('If nobody answers, Sam’s messages are sent very soon, as Sam asked.');
      expect(atOnce).not.toMatch(/before|within/);
    }
  });

  test('names no day while reminders do not reach the owner', () => {
    const untold = words({ deadline: null, waitsForReminders: true });
    expect(untold).toContain(
      'If nobody answers, nothing is delivered while we still try to deliver our reminders to Sam.',
    );
    expect(untold).toContain('We ask you again in 30 days.');
    expect(untold).not.toMatch(/before|within|unless/);
  });

  test('says how many must confirm where people alone decide', () => {
    expect(words({ deadline: null })).toContain('Nothing is delivered unless one of you confirms.');
    expect(words({ deadline: null, quorum: 3, contactCount: 4 })).toContain('unless three of you confirm.');
    expect(words({ deadline: null, contactCount: 1 })).toContain('Nothing is delivered unless you confirm.');
  });

  test('in an early request names the days in which we try to reach the owner first, and the effect of a no meanwhile', () => {
    const early = { cause: 'emergency', deadline: null, contactCount: 1 };
    const wait = { days: 3, until: june(17), isBegun: false, isUnderReview: false };
    expect(words({ ...early, wait })).toContain(
      'Nothing is delivered unless you confirm. We then try to reach Sam for 3 days first.',
    );
    expect(words(early)).not.toContain('try to reach');
    const begun = words({ ...early, wait: { ...wait, isBegun: true } });
    expect(begun).toContain('Another trusted contact has told us that Sam Ashworth has died or cannot act.');
    expect(begun).toContain('If you have heard from Sam, choose Cancel Release: one no is enough to stop it.');
    expect(begun).toContain('for 3 days, until 17 June 2026 at the earliest. Then Sam’s messages are sent.');
    const reviewed = words({ ...early, wait: { ...wait, isBegun: true, isUnderReview: true } });
    expect(reviewed).toContain('nothing is sent before that has ended');
    expect(reviewed).not.toContain('2026 at the earliest');
  });

  test('says that it comes again only where it does', () => {
    const again = 'we will ask you again in 30 days';
    expect(words({ deadline: null })).toContain(again);
    for (const once of [{}, { deadline: null, cause: 'emergency' }, { deadline: null, cause: 'trustee' }]) {
      expect(words(once)).not.toContain(again);
    }
    const told = (deliverAt: Date | null) => said(ownerAskedEmail({ ...owner, deliverAt }));
    expect(told(null)).toContain('Until then we ask again every 30 days.');
    expect(told(june(17))).not.toContain('again');
  });

  test('names no day to the owner while a reminder does not reach them', () => {
    const told = (contactNames: string[]) =>
      ownerAskedEmail({ ...owner, contactNames, deliverAt: june(17), untoldWaitDays: 14 });
    expect(said(told(['Priya']))).toContain('nothing is delivered while we still try to deliver our reminders to you.');
    expect(said(told(['Priya']))).toContain('If your contacts confirm, your messages are delivered 14 days later.');
    expect(said(told([]))).not.toMatch(/June|confirm,/);
    expect(told([]).subject).toBe('We have not heard from you');
  });

  test('is announced to the owner with the ways to speed it up', () => {
    const told = (contactNames: string[]) => said(ownerAskedEmail({ ...owner, contactNames, deliverAt: june(17) }));
    expect(told(['Priya'])).toContain('from 17 June 2026. If your contacts confirm, they go sooner.');
    expect(told([])).not.toContain('sooner');
  });
});

describe('the end of a release', () => {
  const told = (keepsPage: boolean, letters = { arrived: 1, partly: 0, failed: 0, later: 0 }) =>
    contactReleasedEmail(contact, {
      keepsPage,
      messages: letters,
      waiting: letters.later > 0 ? 'One message waits for 1 May.' : '',
    });

  test('names documents only if the page still opens', () => {
    expect(said(told(true))).toContain('If Sam left documents for trusted contacts, you can download them for 30 days');
    expect(said(told(false))).not.toContain('documents');
  });

  test('says that a paid plan ends only if there is one that renewed', () => {
    const letters = { arrived: 1, partly: 0, failed: 0, later: 0 };
    const ended = contactReleasedEmail(contact, { keepsPage: false, messages: letters, endsPlan: true });
    expect(said(ended)).toContain(
      'Sam’s paid plan ends with the period that is paid for. Nothing is charged after that.',
    );
    expect(said(told(false, letters))).not.toContain('plan');
  });

  test.each([
    [
      { arrived: 1, partly: 0, failed: 0, later: 0 },
      'the messages have been delivered',
      'One message that Sam wrote has been delivered.',
    ],
    [
      { arrived: 4, partly: 0, failed: 0, later: 1 },
      'the messages have been delivered',
      '4 messages that Sam wrote have been delivered.',
    ],
    [
      { arrived: 2, partly: 0, failed: 1, later: 0 },
      '2 of 3 messages have been delivered',
      'One message did not arrive.',
    ],
    [
      { arrived: 2, partly: 1, failed: 0, later: 0 },
      'the messages have been delivered, but not to all readers',
      'One message did not reach all of its readers.',
    ],
    [
      { arrived: 0, partly: 0, failed: 2, later: 0 },
      'the messages could not be delivered',
      '2 messages did not arrive.',
    ],
    [{ arrived: 0, partly: 0, failed: 0, later: 1 }, 'the messages wait for their day', 'One message waits for 1 May.'],
    [{ arrived: 0, partly: 0, failed: 0, later: 0 }, 'the release has ended', 'Thank you for being there for Sam.'],
  ])('says how many messages arrived, failed or wait: %o', (letters, subject, words) => {
    const mail = told(false, letters);
    expect(mail.subject).toContain(subject);
    expect(said(mail)).toContain(words);
    if (letters.arrived === 0) expect(said(mail)).not.toContain('been delivered.');
  });
});

test('the days of a waiting time are said to be ours, and to begin with the mail that tells of them', () => {
  const told = said(ownerHoldingEmail({ ...owner, waitingDays: 10, until: june(24), isUnderReview: false }));
  expect(told).toContain(
    'We try to reach you for 10 days first. That time begins now: nothing goes before 24 June 2026',
  );
  expect(told).toContain(
    'nor before this email has been in your mailbox for 10 days. If you read this, press Check in.',
  );
});

test('an owner who chose no waiting days reads that the letters go once the email has arrived, and no count of zero days', () => {
  const mail = ownerHoldingEmail({ ...owner, waitingDays: 0, until: june(24), isUnderReview: false });
  expect(mail.subject).toBe('Your messages are about to be delivered, unless you check in');
  expect(said(mail)).toContain('they go as soon as this email has reached your mailbox.');
  expect(`${mail.subject} ${said(mail)}`).not.toMatch(/\b0 days/);
});

test('uses of the emergency form are listed with the minute in which they happened', () => {
  const uses = [{ at: new Date('2031-01-12T14:45:12Z'), result: 'Nothing has begun.' }];
  expect(said(ownerFormUsesEmail({ ...owner, uses, count: 1 }))).toContain('14:45 (UK time) on 12 January 2031');
});

test('without a first name, no subject and no text invents one', () => {
  const nobody = { ...owner, firstName: '' };
  const prospect = { missing: 1, waitingDays: 0 };
  const claim = { name: 'P. Shah', reason: 'Sam is ill.' };
  const paused = { askAgainDays: 30, canOthersConfirm: false };
  const follows = { askAt: june(14), hasAsked: false, outlook: 'question', standing } as const;
  const reminded = { ...nobody, ...follows, lastReminderAt: june(4) };
  const mails = [
    nudgeEmail({ ...nobody, standing }),
    firstReminderEmail(reminded),
    ownerPausedEmail({ ...nobody, prospect: paused }),
    ownerEarlyEmail({ ...nobody, cause: 'trustee', prospect }),
    ownerClaimEmail({ ...nobody, claim, why: 'Nothing new has begun.' }),
  ];
  expect(mails.map(({ subject }) => subject)).toEqual([
    'Are you there?',
    'We have not heard from you for 170 days',
    'Please log in now',
    'Somebody asked for your messages to be released',
    'Somebody used the emergency form',
  ]);
  for (const mail of mails) expect(mail.text).toContain('Hello there,');
  expect(reminderText({ ...nobody, canAnswer: false }, 'first')).toMatch(/^Everkept: We have not heard/);
  expect(noticeText({ ...nobody, canAnswer: false }, 'wait')).toMatch(/^Everkept: Your contacts confirmed/);
  expect(claimText(nobody)).toMatch(/^Everkept: Somebody used/);
});

test('the sentences of a welcome stand apart in the plain text', () => {
  expect(said(welcomeBackEmail({ ...owner, standing }))).toContain(
    'Nothing was sent. We have told Priya and Tom you are here.',
  );
});

test('an opened letter is shown with its time', () => {
  const counts = { cancelled: 1, withdrawn: 1, opened: 1, sent: 2, mayArrive: 0 };
  expect(said(ownerHaltedEmail({ ...owner, counts }))).toContain('which messages were opened, and when.');
});

test('no mail says that nothing was sent while a letter may still arrive', () => {
  const counts = { cancelled: 1, withdrawn: 0, opened: 0, sent: 0, mayArrive: 1 };
  const mails = [ownerHaltedEmail({ ...owner, counts }), contactHaltedEmail(contact, { sent: 'may_arrive' })];
  for (const mail of mails) {
    expect(said(mail)).toContain('may still arrive. Its link opens nothing');
    expect(mail.subject + said(mail)).not.toMatch(/nothing (was|had been) sent/i);
  }
});

describe('the mail to the owner after a restore', () => {
  const words = (isReleasing: boolean, backupAt = june(14)) =>
    said(ownerRestoredEmail({ ...owner, backupAt, isReleasing }));

  test('names the day of the backup, the possible losses, and the operator’s review before anything is sent', () => {
    expect(words(false)).toContain('go back to our records of 14 June 2026. If you have checked in since');
    expect(words(false)).toContain('before we have checked everything here');
    expect(words(false)).toContain('your changes after 14 June 2026 are missing');
    // A day in London, whatever day it is in Greenwich.
    expect(words(false, new Date('2026-06-14T23:30:00Z'))).toContain('15 June 2026');
  });

  test.each([
    [false, 'you were last here on 2 January 2026'],
    [true, 'your messages were being delivered'],
  ])('names the state of the release: letters being sent is %s', (isReleasing, expected) => {
    expect(words(isReleasing)).toContain(`As far as we know, ${expected}.`);
  });

  test('names the wait of letters that may not have left', () => {
    for (const isReleasing of [true, false]) {
      const told = said(ownerLettersWaitEmail({ ...owner, isReleasing }));
      expect(told).toContain(
        'until this email has been in your mailbox for 3 days, and until we have checked everything here',
      );
    }
  });

  test('names the way to stop them: a check-in for letters of a release, a change for one that waits for its own day', () => {
    const told = (isReleasing: boolean) => said(ownerLettersWaitEmail({ ...owner, isReleasing }));
    expect(told(true)).toContain('press Check in. It stops them');
    expect(told(false)).toContain('One that you change is not sent.');
  });
});

describe('a request that has come to nothing', () => {
  const person = {
    contactName: 'Priya Shah',
    ownerName: 'Sam Ashworth',
    ownerFirstName: 'Sam',
    baseUrl: owner.baseUrl,
  };

  test('after a restore is to be asked or answered again, and the mail says how', () => {
    const mail = contactEndedEmail(person, { why: 'begun_anew' });
    expect(mail.subject).toContain('please ask or answer again');
    expect(said(mail)).toContain('If it was answered since, we no longer know');
    expect(said(mail)).toContain('please tell us again by the emergency form');
  });

  test.each([
    ['no', 'a trusted contact chose Cancel Release'],
    ['did_not_ask', 'has told us that it was not them'],
    ['nobody_answered', 'too few trusted contacts answered in 14 days'],
    ['too_few_contacts', 'fewer trusted contacts are left than must confirm'],
  ] as const)('says why, and that nothing was sent: %s', (why, words) => {
    for (const mail of [contactEndedEmail(person, { why }), ownerEndedEmail({ ...owner, why })]) {
      expect(said(mail)).toContain('Nothing was sent');
    }
    expect(said(contactEndedEmail(person, { why }))).toContain(words);
  });
});

test.each(['שרה', 'محمد', '李雷', 'Zoë ❤️'])('a text to %s has the name as written, and its link last', (firstName) => {
  const checkInUrl = 'https://vault.example/check-in/abc';
  const text = reminderText({ firstName, silentDays: 45, checkInUrl, canAnswer: true }, 'first');
  expect(text).toContain(`${firstName}, we have not heard from you`);
  expect(text.endsWith(checkInUrl)).toBe(true);
});
