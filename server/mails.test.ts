import { expect, test } from 'vitest';
import type { OwnerTopic } from './features/release-core/model.rules.ts';
import { channelsOf } from './features/release-core/notice-facts.rules.ts';
import { ownerMailKinds } from './features/release-mail/owner-mail.ts';
import { allMails, wordsOfKind } from './mails.ts';

test('a kind that is not in the list is shown as another email, never by its internal name', () => {
  expect(wordsOfKind('delivery.letter')).toBe('A letter');
  expect(wordsOfKind('release.contact_asked')).toBe('Question to a contact');
  expect(wordsOfKind('invented.kind')).toBe('Another email');
  expect(wordsOfKind('toString')).toBe('Another email');
});

test('the list names a text for exactly the notices that the release core texts', () => {
  const topics = Object.keys(ownerMailKinds) as OwnerTopic[];
  const texted = topics.filter((topic) => channelsOf({ hasPhone: true }, { to: 'owner', topic }).includes('text'));
  const kinds = new Set(Object.values(ownerMailKinds));
  const listed = allMails.filter(({ kind, by }) => kinds.has(kind) && by === 'email and text').map(({ kind }) => kind);
  expect(listed.toSorted()).toEqual([...new Set(texted.map((topic) => ownerMailKinds[topic]))].toSorted());
});
