import { describe, expect, test } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import { answerDays, ownerOfReply, readReply } from './text-replies.rules.ts';

describe('an answer to a text', () => {
  test.each(['x'.repeat(160), `${'x'.repeat(159)}q`, `${'yes it is me '.repeat(12)}q`, `${'thanks '.repeat(22)}no`])(
    'that can be cut in very many ways is judged in one walk: %s',
    (body) => expect(readReply(body)).toBe('other'),
  );

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
    'Yes x',
    'Yes xxx',
    'Yes its me',
    "Yes, it's me!",
    'It is me',
    'Yes I am',
    'Still alive',
    "I'm still alive x",
    'Alive and kicking',
    'Sorry, yes',
    'sorry yes I am here',
    '👍',
    '👍🏽👍🏽',
    '✅',
    '✔️',
    '👌',
    'Yes ❤️😘',
    'Yes\nSent from my Galaxy',
    'Yes\r\n\r\nSent from my iPhone',
    'I’m fine\nSent from my Samsung Galaxy S21 5G',
    'Yes\nGet Outlook for Android',
    // Welsh
    'Ie',
    'Ydw',
    'Ydw, diolch x',
    'Oes',
    'Dwi yma',
    'Dw i dal yma',
    "Dwi'n iawn, diolch",
    'Iawn',
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
    'Yes?',
    'ok?',
    'x',
    'xx',
    'sorry',
    'Sorry x',
    "I'm sorry",
    'I am sorry',
    'I am',
    'Yes sorry he died',
    'Yes 👎',
    '👎',
    'Yes ❌',
    'Yes 💔',
    'Yes 😢',
    'Yes ⚰️',
    '❤️',
    'Yes/no',
    'yes and no',
    'y n',
    'Not me',
    "It's not me",
    'no its me his wife',
    'Yes its his wife',
    'still dead',
    'not alive',
    'no longer alive',
    'Yes he is still alive',
    'Liked “Everkept: Sam, we have not heard from you”',
    '👍 to “Everkept: Sam, we have not heard from you”',
    'I’m driving with Focus turned on.',
    'Yes\nSent from my late husband’s phone',
    'Yes\nhe died',
    'Sent from my iPhone',
    // Welsh
    'Na',
    'Nage',
    'Nac ydw',
    'Nac oes',
    'Naddo',
    'Diolch',
    'Nid yma',
    'Ydw, ond bu farw',
    'dim yma',
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

describe('the owner of an answer', () => {
  const asked = { userId: 'asked', lastActivityMs: 1, wasText: false, textedAtMs: 2, askedAboutAtMs: null };
  const answered = { ...asked, userId: 'answered', lastActivityMs: 3 };
  const never = { ...asked, userId: 'never', textedAtMs: null };
  const contactHere = { ...asked, userId: 'contact here', askedAboutAtMs: 2 };
  const byText = { ...asked, userId: 'by text', wasText: true };
  const whyNot = (why: string) => ({ userId: null, why });

  test.each([
    [[], whyNot('not_asked')],
    [[never], whyNot('not_asked')],
    [[answered], { userId: 'answered' }],
    [[asked, answered, never], { userId: 'asked' }],
    [[asked, { ...asked, userId: 'other' }], whyNot('unclear')],
    [[answered, never], whyNot('not_asked')],
    [[contactHere], whyNot('unclear')],
    [[{ ...never, askedAboutAtMs: 2 }], whyNot('unclear')],
    [[contactHere, asked], whyNot('unclear')],
    [[{ ...contactHere, lastActivityMs: 2 }], { userId: 'contact here' }],
    [[byText], whyNot('carried')],
    // Twice in answer to one question is one answer.
    [[{ ...byText, lastActivityMs: 3 }], { userId: 'by text' }],
  ])('from %j is %j', (candidates, whose) => {
    expect(ownerOfReply(candidates, 10)).toEqual(whose);
  });

  test('counts within seven days of our text, and not later', () => {
    expect(ownerOfReply([asked], 2 + answerDays * dayMs)).toEqual({ userId: 'asked' });
    expect(ownerOfReply([asked], 3 + answerDays * dayMs)).toEqual(whyNot('not_asked'));
  });
});
