import { describe, expect, test } from 'vitest';
import { phone } from '#shared/contract/fields.ts';
import { readPhone, toInternationalPhone } from './phone-number.ts';

describe('a phone number', () => {
  test.each([
    ['07700 900123', '+447700900123'],
    ['+44 (0)7700 900-123', '+447700900123'],
    ['+44 07700 900123', '+447700900123'],
    ['+4407700900123', '+447700900123'],
    ['0044 7700.900.123', '+447700900123'],
    ['0044 (0)7700 900123', '+447700900123'],
    ['0044 07700 900123', '+447700900123'],
    ['447700900123', '+447700900123'],
    ['44 (0) 7700 900123', '+447700900123'],
    ['7700 900123', '+447700900123'],
    ['(+44) 7700 900123', '+447700900123'],
    ['07700\u2011900\u2011123', '+447700900123'],
    ['07700–900–123', '+447700900123'],
    ['07700/900123', '+447700900123'],
    ['07700\u00a0900\u00a0123', '+447700900123'],
    ['\u202a+44 7700 900123\u202c', '+447700900123'],
    ['\u2068+44\u00a07700\u00a0900123\u2069', '+447700900123'],
    ['\u200e07700 900123\u200b', '+447700900123'],
    ['tel:+447700900123', '+447700900123'],
    ['tel:+44-7700-900123;ext=12', '+447700900123'],
    ['Mobile: 07700 900123', '+447700900123'],
    ['07700 900123 (mobile)', '+447700900123'],
    ['07700 900123 mob.', '+447700900123'],
    ['07700 900123 ext. 12', '+447700900123'],
    ['07700 900123 x12', '+447700900123'],
    ['07700 900123.', '+447700900123'],
    ['０７７００　９００１２３', '+447700900123'],
    ['07400 123456', '+447400123456'],
    ['07624 494123', '+447624494123'],
    ['07797 712345', '+447797712345'],
    ['07781 123456', '+447781123456'],
    ['+353 85 123 4567', '+353851234567'],
    ['00353 85 123 4567', '+353851234567'],
    ['+39 312 345 6789', '+393123456789'],
    ['+33 6 12 34 56 78', '+33612345678'],
    ['+1 202 555 0123', '+12025550123'],
    ['+91 98765 43210', '+919876543210'],
  ])('written as %j is %s', (written, international) => {
    expect(toInternationalPhone(written)).toBe(international);
    const kept = phone.parse(written);
    expect(kept && toInternationalPhone(kept)).toBe(international);
  });

  const landline = 'We can’t text a landline. Please enter a mobile number, such as 07700 900123';
  const textless = 'This number can’t get texts. Please enter a mobile number, such as 07700 900123';
  const incomplete =
    'This is not a complete phone number. Write it as 07700 900123, or with its country, such as +353 85 123 4567';
  test.each([
    ['(020) 7946 0018', landline],
    ['+39 06 1234 5678', landline],
    ['+33 1 23 45 67 89', landline],
    ['0800 123 4567', textless],
    ['070 1234 5678', textless],
    ['07600 123456', textless],
    ['056 1234 5678', textless],
    ['0845 123 4567', textless],
    ['07700 90012', incomplete],
    ['07700 9001234', incomplete],
    ['+44 7700 90012', incomplete],
    ['+353 85 12', incomplete],
    ['1234567', incomplete],
  ])('written as %j is refused: %s', (written, problem) => {
    expect(readPhone(written)).toEqual({ number: null, problem });
    expect(phone.safeParse(written).success).toBe(true);
  });

  test.each([
    'call me',
    '12',
    '112',
    'evil.example/07700900123',
    '07700 900123 or 07700 900124',
    '07700 900123 call me',
    '+'.repeat(50),
    `${'7'.repeat(20)}`,
  ])('%j is none', (written) => {
    expect(phone.safeParse(written).error?.issues[0]?.message).toBe(
      'Please enter a phone number, such as 07700 900123',
    );
    expect(readPhone(written).number).toBeNull();
  });

  test.each(['', ' ', '\u200b', null, undefined])('%j is left out', (written) => {
    expect(phone.parse(written)).toBeNull();
  });
});
