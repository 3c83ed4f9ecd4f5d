import { describe, expect, it } from 'vitest';
import type { Message } from '#shared/contract/messages.ts';
import { matchingMessages, previewOf } from './message-list.rules.ts';

const nell = {
  title: 'For Nell',
  content: 'The blue tin',
  recipients: [{ name: 'Eleanor', email: 'nell@ashworth.example' }],
  category: 'personal',
};
const will = {
  title: 'The will',
  content: 'In the safe',
  recipients: [{ name: null, email: 'law@post.example' }],
  category: 'legal',
};
const boat = {
  title: 'The boat',
  content: 'Sell it',
  recipients: [{ name: null, email: 'tom@post.example' }],
  category: 'family',
};
const messages = [nell, will, boat] as unknown as Message[];

describe('Finding messages', () => {
  it.each([
    ['NELL', [nell]],
    ['blue TIN', [nell]],
    ['@post.example', [will, boat]],
    ['eleanor', [nell]],
    ['  boat ', [boat]],
    ['nothing like it', []],
    ['', [nell, will, boat]],
  ])('looks for “%s” in title, content and recipient, in any case', (words, found) => {
    expect(matchingMessages(messages, { words, category: 'all' })).toEqual(found);
  });

  it('finds the wizard’s family messages under Personal', () => {
    expect(matchingMessages(messages, { words: '', category: 'personal' })).toEqual([nell, boat]);
    expect(matchingMessages(messages, { words: '', category: 'legal' })).toEqual([will]);
    expect(matchingMessages(messages, { words: '', category: 'financial' })).toEqual([]);
  });
});

describe('The preview of a message', () => {
  it('is the whole of a short one', () => {
    expect(previewOf('a'.repeat(200))).toBe('a'.repeat(200));
  });

  it('is cut at 200 characters, followed by three dots', () => {
    expect(previewOf('a'.repeat(201))).toBe(`${'a'.repeat(200)}...`);
    expect(previewOf('a'.repeat(5000))).toBe(`${'a'.repeat(200)}...`);
  });

  it('does not cut a character in half', () => {
    expect(previewOf('😀'.repeat(201))).toBe(`${'😀'.repeat(200)}...`);
    expect(previewOf('😀'.repeat(200))).toBe('😀'.repeat(200));
  });
});
