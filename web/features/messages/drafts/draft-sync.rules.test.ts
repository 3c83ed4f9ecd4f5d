import { describe, expect, it } from 'vitest';
import { writingForm } from '../writing.ts';
import { contentOf, writingOf } from './draft-content.ts';
import { meetingOf } from './draft-sync.rules.ts';

const mine = 'Dear Nell, by laptop';
const theirs = { content: 'Dear Nell, by phone', version: 4 };

describe('a device that opens a letter', () => {
  it.each([
    ['has nothing, nor has the vault', undefined, undefined, undefined, 'same'],
    ['has nothing', undefined, theirs, undefined, 'take'],
    ['has what the vault has', theirs.content, theirs, undefined, 'same'],
    ['has words that the vault never had', mine, undefined, undefined, 'send'],
    ['has gone on from what the vault still has', mine, theirs, { version: 4, isBehind: true }, 'send'],
    ['was left before the other one went on', mine, theirs, { version: 3, isBehind: false }, 'take'],
    ['has gone on while the other one did', mine, theirs, { version: 3, isBehind: true }, 'ask'],
    ['never met the vault, which has other words', mine, theirs, undefined, 'ask'],
    ['has what was saved or discarded elsewhere', mine, undefined, { version: 3, isBehind: false }, 'drop'],
    ['has gone on with what was saved elsewhere', mine, undefined, { version: 3, isBehind: true }, 'send'],
  ] as const)('and %s', (_, device, vault, mark, meeting) => {
    expect(meetingOf({ device, vault, mark })).toBe(meeting);
  });
});

describe('the part of a letter that is kept in the vault', () => {
  const nell = { name: 'Nell', relation: 'daughter', email: 'nell@example.com' };
  const writing = {
    ...{ title: 'For Nell', content: 'The blue tin', recipients: [nell], showRecipients: true },
    ...{ when: 'day' as const, day: '2031-05-04', months: '', announceWait: true },
    ...{ category: 'family' as const, status: 'ready' as const, visibleToTrustedContact: true },
    attachmentTranscript: 'This is the sea.',
    version: '0b0e7c1e-0000-4000-8000-000000000090',
    ...{ isSealed: true, passphrase: 'canary words', hint: 'canary hint', locked: null },
  };

  it('is all that stands in the form, but for what belongs to a passphrase', () => {
    const kept = contentOf(writing);
    expect(kept).not.toContain('canary');
    expect(writingOf(kept)).toEqual({ ...writing, status: 'draft', isSealed: false, passphrase: '', hint: '' });
    const left = Object.keys(writingForm.shape).filter((field) => !(field in JSON.parse(kept)));
    expect(left.toSorted()).toEqual(['hint', 'isSealed', 'locked', 'passphrase', 'status']);
  });

  it('is the same text for the same words', () => {
    const { title, ...others } = writing;
    expect(contentOf({ ...others, title })).toBe(contentOf(writing));
  });

  it.each(['', 'no JSON', '"words"', 'null', '[]'])('can’t be read where it is “%s”', (content) => {
    expect(writingOf(content)).toBeNull();
  });

  it('is what can be read of it where another version of the page wrote it', () => {
    expect(writingOf('{"title":"For Nell","recipients":"nobody","mood":3}')).toMatchObject({
      title: 'For Nell',
      content: '',
      recipients: [{ name: '', relation: '', email: '' }],
    });
  });
});
