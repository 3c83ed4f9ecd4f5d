import { describe, expect, it } from 'vitest';
import { holderSentence } from './more-choices.tsx';

describe('a contact who alone could hold letters back', () => {
  it('is named if there is no other', () => {
    expect(holderSentence(1, ['Tom'])).toContain('Tom alone could keep your letters back');
  });

  it('is any of them if the others are too few to confirm', () => {
    expect(holderSentence(2, ['Tom', 'Ada'])).toContain('Any one of your contacts alone could keep');
  });

  it('is not there if the others could confirm, or if there is none', () => {
    expect(holderSentence(1, ['Tom', 'Ada'])).toBeNull();
    expect(holderSentence(1, [])).toBeNull();
  });
});
