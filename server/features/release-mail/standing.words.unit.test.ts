import { describe, expect, test } from 'vitest';
import type { World } from '#server/features/release-core/model.rules.ts';
import { contact, plainOwner, worldOf } from '#server/features/release-core/release-core.test-world.ts';
import { outlookOf, type StandingDays, standingLine, standingOf, standingSentence } from './standing.words.ts';

const two = [contact('ada'), contact('leo')];
const say = (changes: Partial<World>, names: readonly string[] = ['Ada']) =>
  standingSentence(standingOf(worldOf(changes), names));
const june = (day: number) => new Date(Date.UTC(2026, 5, day, 10));
const silenceOf = (needed: number) => ({
  terms: { inactivityDays: 90, needed, answerDays: 7, waitingDays: 3 },
  firstNotice: 1,
  lastNotice: null,
});
const byPeople = { ...plainOwner, method: 'trusted_contact' as const };

describe('the one sentence on a release as things stand', () => {
  test.each<[string, Partial<World>, readonly string[], string]>([
    [
      'everything is in place',
      {},
      ['Ada'],
      'As things stand, we would write to you twice and then ask Ada. If there is no answer within 7 days, your letter goes.',
    ],
    [
      'people alone decide',
      { owner: { ...byPeople, quorum: 2 }, contacts: two, readyLetters: ['nell', 'tom'] },
      ['Ada', 'Leo'],
      'As things stand, we would write to you twice and then ask Ada and Leo. Your 2 letters go only once two of them confirm.',
    ],
    [
      'nobody has said yes',
      { contacts: [] },
      [],
      'Nobody has said yes yet. As things stand, we would write to you twice, and then your letter goes without anybody being asked.',
    ],
    [
      'people alone decide and nobody has said yes',
      { owner: byPeople, contacts: [] },
      [],
      'Nobody has said yes yet. As things stand, nothing could be sent, since only your contacts could start it.',
    ],
    [
      'no letter is ready',
      { readyLetters: [] },
      ['Ada'],
      'No letter is ready yet. As things stand, nobody would be asked, and nothing would be sent.',
    ],
    [
      'documents alone are ready',
      { readyLetters: [], visibleDocuments: 1 },
      ['Ada'],
      'As things stand, we would write to you twice and then ask Ada, who could read the documents you show them. No letter would be sent.',
    ],
    [
      'the address is not confirmed, whatever else there is',
      { owner: { ...plainOwner, isVerified: false }, contacts: [] },
      [],
      'Your email address is not confirmed yet. Until it is, nothing is sent to anybody.',
    ],
    [
      'releases are stopped',
      { stops: { isFrozen: true, isSilenceStopped: false } },
      ['Ada'],
      'Releases are stopped for now by the people who run this service. Until they go on, nothing is sent.',
    ],
    [
      'silence alone is stopped',
      { stops: { isFrozen: false, isSilenceStopped: true } },
      ['Ada'],
      'Releases are stopped for now by the people who run this service. Until they go on, silence alone sends nothing.',
    ],
    [
      'the letter has a day of its own',
      { ownDays: new Map([['nell', '2044-06-14']]) },
      ['Ada'],
      'As things stand, we would write to you twice and then ask Ada. If there is no answer within 7 days, your letter goes. It has a day of its own, and does not go before it.',
    ],
    [
      'one letter of two has a day of its own, and nobody has said yes',
      { contacts: [], readyLetters: ['nell', 'tom'], ownDays: new Map([['tom', { months: 6 }]]) },
      [],
      'Nobody has said yes yet. As things stand, we would write to you twice, and then your 2 letters go without anybody being asked. One of them has a day of its own, and does not go before it.',
    ],
  ])('if %s', (_, changes, names, sentence) => {
    expect(say(changes, names)).toBe(sentence);
  });

  test.each<[string, Partial<World>, Partial<StandingDays>, string]>([
    [
      'contacts are to be asked',
      {},
      {},
      'On 14 June 2026 we will ask Ada about you. If nobody answers before 21 June 2026, your letter goes.',
    ],
    [
      'no time is given to answer',
      {},
      { deliverAt: null },
      'On 14 June 2026 we will ask Ada about you, and your letter goes soon after.',
    ],
    [
      'people alone decide, with as many as the contacts were told of',
      { owner: { ...byPeople, quorum: 1 }, contacts: two, silence: silenceOf(2) },
      {},
      'On 14 June 2026 we will ask Ada about you. Your letter goes only once two of them confirm.',
    ],
    [
      'contacts were asked',
      { contacts: two, readyLetters: ['nell', 'tom'] },
      { hasAsked: true },
      'We have asked Ada about you. If nobody answers before 21 June 2026, your 2 letters go. They go sooner once one of them confirms.',
    ],
    [
      'contacts were asked and people alone decide',
      { owner: byPeople },
      { hasAsked: true },
      'We have asked Ada about you. Your letter goes only once this contact confirms.',
    ],
    [
      'contacts were asked and nothing is ready since',
      { readyLetters: [] },
      { hasAsked: true },
      'No letter is ready. As things stand, nothing would be sent.',
    ],
    [
      'nobody has said yes',
      { contacts: [] },
      { deliverAt: null },
      'Nobody has said yes yet. If we hear nothing from you before 14 June 2026, your letter goes without anybody being asked.',
    ],
    [
      'documents alone are ready',
      { readyLetters: [], visibleDocuments: 1 },
      {},
      'On 14 June 2026 we will ask Ada, who could read the documents you show them. No letter would be sent.',
    ],
    [
      'the letter has a day of its own',
      { ownDays: new Map([['nell', '2044-06-14']]) },
      {},
      'On 14 June 2026 we will ask Ada about you. If nobody answers before 21 June 2026, your letter goes. It has a day of its own, and does not go before it.',
    ],
    [
      'releases are stopped, which may end while the mail lies unread',
      { stops: { isFrozen: true, isSilenceStopped: false } },
      {},
      'Releases are stopped for now by the people who run this service. Until they go on, nothing is sent. Once they do, but not before 14 June 2026, we will ask Ada about you. If nobody answers before 21 June 2026, your letter goes.',
    ],
  ])('in a reminder, with its days, if %s', (_, changes, given, sentence) => {
    const days = { askAt: june(14), deliverAt: june(21), hasAsked: false, ...given };
    const names = changes.contacts?.length === 0 ? [] : ['Ada'];
    expect(standingSentence(standingOf(worldOf(changes), names, days))).toBe(sentence);
  });

  test('leads to nothing, to letters or to a question', () => {
    const outlook = (changes: Partial<World>) => outlookOf(worldOf(changes));
    expect(outlook({})).toBe('question');
    expect(outlook({ readyLetters: [], visibleDocuments: 1 })).toBe('question');
    expect(outlook({ contacts: [] })).toBe('letters');
    expect(outlook({ contacts: [], readyLetters: [], visibleDocuments: 1 })).toBe('nothing');
    expect(outlook({ contacts: [], owner: byPeople })).toBe('nothing');
    expect(outlook({ readyLetters: [] })).toBe('nothing');
    expect(outlook({ owner: { ...plainOwner, isVerified: false } })).toBe('nothing');
  });

  test('is the same in a mail, with the names kept apart from the direction of the rest', () => {
    const standing = standingOf(worldOf(), ['Ada']);
    expect(standingLine(standing).text.replace(/[\u2066-\u2069]/g, '')).toBe(standingSentence(standing));
  });
});
