import { describe, expect, test } from 'vitest';
import type { World } from '#server/features/release-core/model.rules.ts';
import { contact, plainOwner, worldOf } from '#server/features/release-core/release-core.test-world.ts';
import { standingLine, standingOf, standingSentence } from './standing.words.ts';

const two = [contact('ada'), contact('leo')];
const say = (changes: Partial<World>, names: readonly string[] = ['Ada']) =>
  standingSentence(standingOf(worldOf(changes), names));
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
  ])('where %s', (_, changes, names, sentence) => {
    expect(say(changes, names)).toBe(sentence);
  });

  test('is the same in a mail, with the names kept apart from the direction of the rest', () => {
    const standing = standingOf(worldOf(), ['Ada']);
    expect(standingLine(standing).text.replace(/[\u2066-\u2069]/g, '')).toBe(standingSentence(standing));
  });
});
