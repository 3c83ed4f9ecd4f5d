import { expect, test } from 'vitest';
import { dispositionOf } from './downloads.ts';

test.each([
  ['My will.pdf', 'My will.pdf'],
  ['Für Zoë – Łucja’s “map”.pdf', "Fur Zoe - Lucja's 'map'.pdf"],
  ['Hello both ❤️.pdf', 'Hello both.pdf'],
  ['给妈妈 for Mum.pdf', 'for Mum.pdf'],
  ['给妈妈.pdf', 'Everkept.pdf'],
  ['وصية.txt', 'Everkept.txt'],
  ['"100%\\.txt', "'100.txt"],
  ['', 'Everkept'],
])('a download named %j has the readable ASCII name %j, and its own', (name, plain) => {
  const disposition = dispositionOf(name);
  expect(disposition.startsWith(`attachment; filename="${plain}"; filename*=UTF-8''`)).toBe(true);
  expect(decodeURIComponent(disposition.split("UTF-8''")[1] ?? '')).toBe(name);
});
