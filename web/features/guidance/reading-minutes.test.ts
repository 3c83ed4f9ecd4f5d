import { expect, test } from 'vitest';
import type { Guide } from '#web/content/guidance/guide.ts';
import { readingMinutes } from './reading-minutes.ts';

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');
const guide = (parts: Guide['parts']): Guide => ({
  id: 'any',
  title: 'Any guide',
  intro: words(100),
  checkedOn: '2026-11-21',
  parts,
});

test('a guide of nearly nothing takes a minute, and none takes no time', () => {
  expect(readingMinutes(guide([]), 'england')).toBe(1);
});

test('lists and facts are read too, two hundred words in a minute', () => {
  const part = { title: words(1), blocks: [words(299), { list: [words(150), words(50)] }] };
  expect(readingMinutes(guide([part]), 'england')).toBe(3);
});

test('parts for another nation are not counted', () => {
  const scots = { title: words(1), blocks: [words(999)], nations: ['scotland' as const] };
  expect(readingMinutes(guide([scots]), 'england')).toBe(1);
  expect(readingMinutes(guide([scots]), 'scotland')).toBe(6);
});
