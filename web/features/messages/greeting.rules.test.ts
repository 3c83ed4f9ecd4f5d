import { describe, expect, it } from 'vitest';
import { followGreeting, greetingOf, isBlank } from './greeting.rules.ts';

describe('The greeting', () => {
  it.each([
    [[{ name: 'Nell' }], false, 'Dear Nell,'],
    [[{ name: ' Nell ' }, { name: 'Joss' }], true, 'Dear Nell and Joss,'],
    [[{ name: 'Nell' }, { name: 'Tom' }, { name: 'Ada' }], true, 'Dear Nell, Tom and Ada,'],
    [[{ name: 'Nell' }, { name: 'Joss' }], false, ''],
    [[{ name: 'Nell' }, { name: '', email: 'j' }], true, ''],
    [[{ name: null, email: 'nell@post.example' }], false, ''],
    [[{ name: 'Nell' }, { name: '', email: '' }], false, 'Dear Nell,'],
    [[], false, ''],
  ])('for %j is made from their names (%#)', (readers, showRecipients, greeting) => {
    expect(greetingOf(readers, showRecipients)).toBe(greeting);
  });

  const change = { before: 'Dear Nell,', after: 'Dear Nell and Joss,' };

  it('follows the names while it stands as it was made', () => {
    expect(followGreeting('', { before: '', after: 'Dear N,' })).toBe('Dear N,\n\n');
    expect(followGreeting('Dear Nell,\n\n', change)).toBe('Dear Nell and Joss,\n\n');
    expect(followGreeting('Dear Nell,\n\nPut the kettle on.', change)).toBe(
      'Dear Nell and Joss,\n\nPut the kettle on.',
    );
    expect(followGreeting('Dear Nell,\n\nPut the kettle on.', { ...change, after: '' })).toBe('Put the kettle on.');
    expect(followGreeting('Dear Nell,\n\n', { ...change, after: '' })).toBe('');
  });

  it('comes back where it was taken away because the readers do not see each other', () => {
    const back = { before: '', after: 'Dear Nell and Joss,' };
    expect(followGreeting('It is yours.', { ...back, wasTaken: true })).toBe('Dear Nell and Joss,\n\nIt is yours.');
    expect(followGreeting('It is yours.', back)).toBe('It is yours.');
  });

  it('is the writer’s own once they changed it', () => {
    expect(followGreeting('My dearest Nell,\n\nHello.', change)).toBe('My dearest Nell,\n\nHello.');
    expect(followGreeting('Put the kettle on.', { before: '', after: 'Dear Nell,' })).toBe('Put the kettle on.');
    expect(followGreeting('Dear Nell, my own', change)).toBe('Dear Nell, my own');
  });

  it('is no letter by itself', () => {
    expect(isBlank(' Dear Nell,\n\n', 'Dear Nell,')).toBe(true);
    expect(isBlank('', '')).toBe(true);
    expect(isBlank('Dear Nell,\n\nx', 'Dear Nell,')).toBe(false);
  });
});
