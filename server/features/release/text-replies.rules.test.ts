import { describe, expect, test } from 'vitest';
import { ownerOfReply, readReply } from './text-replies.rules.ts';

describe('an answer to a text', () => {
  test.each([
    'YES',
    'yes',
    ' Yes. ',
    'y',
    'Yep!',
    'OK',
    'Ok, thanks',
    'okay',
    "I'm here",
    'I’m here',
    'im here',
    'I am here.',
    'IM OK',
    "I'm fine, thank you",
    'Yes, I’m still here',
    'All is well',
    'all well x'.slice(0, 8),
    '👍 yes',
    'Yes please',
    'ＹＥＳ',
  ])('%s says that all is well', (body) => {
    expect(readReply(body)).toBe('well');
  });

  test.each(['STOP', 'stop.', 'Stop all', 'UNSUBSCRIBE', 'cancel', 'end', 'Quit'])('%s wants no texts', (body) => {
    expect(readReply(body)).toBe('stop');
  });

  test.each(['START', ' start ', 'unstop'])('%s wants them again', (body) => {
    expect(readReply(body)).toBe('start');
  });

  test.each([
    '',
    'no',
    'Yes he died',
    'yes but who is this',
    'not ok',
    'I am not here',
    'Sam passed away in May',
    'thanks',
    'who?',
    'stop it I am fine',
    'yes '.repeat(60),
    'https://everkept.example',
    'okapi',
    'yesterday',
  ])('%j is neither', (body) => {
    expect(readReply(body)).toBe('other');
  });

  test('is read in no time, whatever it is', () => {
    const before = process.threadCpuUsage();
    readReply(`${'im '.repeat(50)}!`);
    readReply('ok'.repeat(79));
    expect(process.threadCpuUsage(before).user).toBeLessThan(50_000);
  });
});

describe('whose answer it is', () => {
  const asked = { userId: 'asked', lastActivityMs: 1, textedAtMs: 2 };
  const answered = { userId: 'answered', lastActivityMs: 3, textedAtMs: 2 };
  const never = { userId: 'never', lastActivityMs: 1, textedAtMs: null };

  test.each([
    [[], null],
    [[never], 'never'],
    [[answered], 'answered'],
    [[asked, answered, never], 'asked'],
    [[asked, { ...asked, userId: 'other' }], null],
    [[answered, never], null],
  ])('of %j it is %s', (candidates, owner) => {
    expect(ownerOfReply(candidates)).toBe(owner);
  });
});
