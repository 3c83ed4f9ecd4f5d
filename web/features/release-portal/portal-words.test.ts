import { describe, expect, it } from 'vitest';
import type { Portal } from '#shared/contract/release/portal.ts';
import {
  awayWords,
  canAskAnew,
  ifYouCancel,
  ifYouConfirm,
  ifYouDoNotKnow,
  namesInRow,
  openingWords,
  stoppedTitle,
  thanksFor,
  timelineOf,
  waysToReach,
} from './portal-words.ts';

const portal: Portal = {
  user: { firstName: 'Sam', lastName: 'Ashworth', email: 'sam@a.example' },
  contact: { name: 'Priya Shah', email: 'priya@a.example' },
  token: 't',
  inactivityDays: 180,
  messages: [],
  messagesLeftOut: 0,
  privateMessageCount: 4,
  documentCount: 0,
  documentsFrom: 0,
  documents: [],
  documentsUntil: null,
  hasFirstWeeks: false,
  state: 'open',
  stoppedBy: null,
  lastActivityAt: '2026-03-13T09:00:00.000Z',
  silentDays: 180,
  awayUntil: null,
  history: [
    { what: 'last_activity', at: '2026-03-13T09:00:00.000Z', isPast: true },
    { what: 'first_reminder', at: '2026-06-11T09:00:00.000Z', isPast: true },
    { what: 'last_reminder', at: '2026-08-30T09:00:00.000Z', isPast: true },
    { what: 'contacts_asked', at: '2026-09-09T09:00:00.000Z', isPast: true },
  ],
  otherContactNames: ['Tom'],
  askedNames: ['Tom'],
  quorum: 1,
  confirmations: 0,
  releaseMethod: 'trusted_contact',
  goAloneAt: null,
  isEarly: false,
  waitingDays: 0,
  held: null,
  ifCancelled: {
    toldNames: ['Tom'],
    askAgainDays: 30,
    canOthersConfirm: false,
    isOwnerTold: true,
    isRequestOver: false,
  },
  aliveSaidAt: null,
  canTakeBack: false,
  canSayNotAsked: false,
  otherAddress: null,
  declining: [],
  outcome: null,
};

describe('the words of the portal', () => {
  it('say how often the owner was written to, and never more than is true', () => {
    expect(openingWords(portal)).toBe(
      'We have not heard from Sam since 13 March 2026. We wrote to Sam twice, and there was no answer. Sam named you as a person to ask.',
    );
    const emergency = { ...portal, history: portal.history.filter(({ what }) => !what.includes('reminder')) };
    expect(openingWords(emergency)).not.toContain('wrote');
  });

  it('promise delivery within minutes only where one confirmation is enough', () => {
    expect(ifYouConfirm(portal)[0]).toBe('4 messages are sent by email within minutes.');
    expect(ifYouConfirm({ ...portal, quorum: 3, confirmations: 1 })[0]).toBe(
      '4 messages are sent when 3 people have confirmed. One has so far.',
    );
    expect(ifYouConfirm({ ...portal, quorum: 3, confirmations: 2 })[0]).toContain('within minutes');
    const waiting = ifYouConfirm({ ...portal, isEarly: true, waitingDays: 3 });
    expect(waiting.slice(0, 2)).toEqual([
      '4 messages are sent by email, but not at once.',
      'We try to reach Sam for 3 days first. Until then Sam can stop it.',
    ]);
    const held = { by: 'waiting_time', until: '2026-09-12T09:00:00.000Z' } as const;
    const begun = { ...portal, isEarly: true, confirmations: 1, waitingDays: 3, held };
    expect(ifYouConfirm(begun)[1]).toBe(
      'Enough people have confirmed. We try to reach Sam until 12 September 2026. Then the letters go, unless somebody says no.',
    );
    expect(ifYouConfirm({ ...begun, waitingDays: 0 })[1]).toContain('once our email about it has reached Sam');
    expect(ifYouDoNotKnow(begun)).toContain('try to reach Sam yourself, and soon');
    const stopped = ifYouConfirm({ ...portal, held: { by: 'stopped', until: null } }).join(' ');
    expect(stopped).toContain('Just now every delivery waits on our side');
    expect(stopped).not.toContain('minutes');
    const review = ifYouConfirm({ ...portal, isEarly: true, held: { by: 'early_review', until: null } }).join(' ');
    expect(review).toContain('so the people who run Everkept must allow this release first. Your answer is kept.');
    expect(review).not.toContain('minutes');
    const young = { by: 'new_contact', until: '2026-09-11T09:00:00.000Z' } as const;
    expect(ifYouConfirm({ ...portal, held: young })[1]).toContain('counts from 11 September 2026');
    expect(ifYouConfirm({ ...portal, privateMessageCount: 0 })[0]).toBe(
      'Nothing is sent: Sam has no message that is ready.',
    );
    expect(ifYouConfirm({ ...portal, privateMessageCount: 1 })[0]).toBe('1 message is sent by email within minutes.');
  });

  it('say that no hurry is needed only where nothing happens by itself', () => {
    expect(ifYouDoNotKnow(portal)).toContain('There is no hurry');
    expect(ifYouDoNotKnow({ ...portal, goAloneAt: '2027-05-29T10:00:00Z' })).toContain(
      'go out by themselves on 29 May 2027',
    );
  });

  const after = {
    toldNames: ['Tom'],
    askAgainDays: 30 as number | null,
    canOthersConfirm: false,
    isOwnerTold: true,
    isRequestOver: false,
  };
  const cancels = (more: Partial<typeof after>) => ifYouCancel({ ...portal, ifCancelled: { ...after, ...more } });

  it('mention the others only if some are notified', () => {
    expect(cancels({})[1]).toBe('We ask Sam to sign in, and tell Tom that you cancelled.');
    expect(cancels({ toldNames: [] })[1]).toBe('We ask Sam to sign in.');
    expect(namesInRow(['Tom', 'Ann', 'Joe'])).toBe('Tom, Ann and Joe');
    expect(timelineOf({ ...portal, askedNames: [] }, 0).at(-1)?.words).toBe('You were asked');
    expect(timelineOf({ ...portal, askedNames: ['Tom', 'Ann'] }, 0).at(-1)?.words).toBe('You, Tom and Ann asked');
  });

  it('promise to ask again only if that follows, and nothing if others can still confirm', () => {
    expect(cancels({})[2]).toBe('If Sam stays silent, we ask you again in 30 days.');
    expect(cancels({ askAgainDays: null })[2]).toBe('Our usual reminders to Sam go on.');
    expect(cancels({})[0]).toBe('Nothing is sent.');
    const repeated = { toldNames: [], canOthersConfirm: true, isOwnerTold: false, askAgainDays: null };
    expect(cancels(repeated)[0]).toContain('unless others confirm');
    expect(cancels(repeated).join(' ')).not.toContain('sign in');
    const enough = { ...portal, confirmations: 1, ifCancelled: { ...after, ...repeated } };
    expect(ifYouCancel(enough)[0]).toBe('You have cancelled before, so this does not stop what others have confirmed.');
  });

  it('say that an early request is over with a no', () => {
    expect(cancels({ askAgainDays: null, isRequestOver: true })).toEqual([
      'Nothing is sent.',
      'We ask Sam to sign in, and tell Tom that you cancelled.',
      'This request is over.',
      'Our usual reminders to Sam go on.',
    ]);
  });

  it('name the day until which the owner is away', () => {
    expect(awayWords(portal)).toBeNull();
    expect(awayWords({ ...portal, awayUntil: '2027-05-03T23:00:00.000Z' })).toBe(
      'Sam told us that they are away until 4 May.',
    );
  });

  it('send to the emergency form a contact who has to ask or answer again', () => {
    const stopped = (stoppedBy: Portal['stoppedBy'], isEarly = true) => {
      const over = { ...portal, stoppedBy, isEarly };
      return [stoppedTitle(over), canAskAnew(over)];
    };
    expect(stopped('no')).toEqual(['The release was cancelled', false]);
    expect(stopped('taken_back')).toEqual(['Your confirmation is taken back', true]);
    expect(stopped('not_asked')).toEqual(['The request is over', false]);
    expect(stopped('nobody_answered')).toEqual(['The request is over', true]);
    expect(stopped('begun_anew')).toEqual(['The request is over', true]);
    expect(stopped('begun_anew', false)).toEqual(['The request is over', false]);
    expect(stopped('not_counted')).toEqual(['Your answer does not count any more', false]);
  });

  it('draw the past events, with today by its name', () => {
    const drawn = timelineOf(portal, new Date('2026-09-09T20:00:00Z').getTime());
    expect(drawn.map(({ words, shown }) => `${words}: ${shown}`)).toEqual([
      'Last check-in: 13 March',
      'First reminder: 11 June, no answer',
      'Last reminder: 30 August, no answer',
      'You and Tom asked: Today, 9 September',
    ]);
  });

  it('says that reminders were not delivered if none reached the owner', () => {
    const drawn = timelineOf({ ...portal, otherAddress: 'asked' }, 0).map(({ shown }) => shown);
    expect(drawn.slice(1, 3)).toEqual(['11 June, not delivered', '30 August, not delivered']);
  });
});

describe('before and after an answer', () => {
  it('says how to find out first, by name', () => {
    expect(waysToReach(portal).join(' ')).toContain('Ask somebody who sees Sam often.');
  });

  it('thanks the contact for an answer, with condolences after a confirmation', () => {
    expect(thanksFor(portal, 'confirmed')).toMatch(/^Thank you, .+\. We are sorry for what has happened to Sam\.$/);
    expect(thanksFor(portal, 'cancelled')).toMatch(/^Thank you, [^.]+\.$/);
  });
});
