import { describe, expect, it } from 'vitest';
import { passwordStrength } from './password-strength.rules.ts';

describe('The strength of a password', () => {
  it('is too short below eight characters, whatever they are', () => {
    expect(passwordStrength('aB3$xY9')).toMatchObject({ level: 'too short', step: 0 });
  });

  it.each(['aaaaaaaaaaaaaaaa', '12345678', 'abcdefghijkl', 'qwertyuiop', 'password', 'Password1', 'abababababababab'])(
    'is weak for %s',
    (password) => {
      expect(passwordStrength(password).level).toBe('weak');
    },
  );

  it('is weak where it is little more than the name of its owner', () => {
    expect(passwordStrength('ashworthsam', ['Sam', 'Ashworth'])).toEqual({
      level: 'weak',
      step: 1,
      advice: 'Leave out your name and address.',
    });
    expect(passwordStrength('ashworthsam').level).not.toBe('weak');
  });

  it('grows with length alone, so that a sentence is strong without any signs', () => {
    expect(passwordStrength('lemoncake').step).toBeLessThan(passwordStrength('lemon cake boat').step);
    expect(passwordStrength('lemon cake on the boat').level).toBe('strong');
  });

  it('says what would help while something would', () => {
    expect(passwordStrength('password').advice).toContain('password');
    expect(passwordStrength('lemon cake on the boat').advice).toBe('');
  });
});
