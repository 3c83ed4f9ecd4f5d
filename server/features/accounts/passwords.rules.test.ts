import { describe, expect, it } from 'vitest';
import { isCommonPassword } from './common-passwords.ts';
import { passwordProblem } from './passwords.rules.ts';

describe('a new password', () => {
  const problem = (password: string, email = 'sam.ashworth@example.org') =>
    passwordProblem({ password, email }, isCommonPassword);

  it.each(['password', 'Password123', 'PASSW0RD', 'iloveyou', 'qwertyuiop', 'Liverpool1', '12345678', 'letmein123'])(
    'is refused when many people use it: %s',
    (password) => {
      expect(problem(password)).toMatch(/many people/i);
    },
  );

  it('is refused in full width, too', () => {
    expect(problem('ｐａｓｓｗｏｒｄ１２３')).toMatch(/many people/i);
  });

  it('is refused when it holds the name of the product, in any case', () => {
    expect(problem('my-EverKept-vault')).toMatch(/our name/);
  });

  it.each(['Sam.Ashworth@example.org', 'xx sam.ashworth@EXAMPLE.org', 'sam.ashworth1987'])(
    'is refused when it holds the address or the name in it: %s',
    (password) => {
      expect(problem(password)).toMatch(/email address/);
    },
  );

  it('is not refused for a short name that turns up by chance', () => {
    expect(problem('a savannah at dawn', 'anna@example.org')).toBeNull();
  });

  it.each([
    'twelve lemons in a bowl',
    '🐝🐝🐝🐝🐝🐝🐝🐝',
    'ÄÖÜ äöü ß',
    '        x       ',
    'x'.repeat(128),
    '73°N, 40°W — fog',
  ])('may contain any character: %s', (password) => {
    expect(problem(password)).toBeNull();
  });

  it('is compared with at least three thousand that are often used', async () => {
    const { readFile } = await import('node:fs/promises');
    const lines = (await readFile(new URL('./common-passwords.txt', import.meta.url), 'utf8')).trim().split('\n');
    expect(new Set(lines).size).toBeGreaterThanOrEqual(3_000);
    expect(lines).toEqual(lines.map((line) => line.toLowerCase()));
    expect(lines.every((line) => line.length >= 8)).toBe(true);
  });
});
