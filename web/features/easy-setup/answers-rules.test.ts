import { describe, expect, it } from 'vitest';
import { wrongAccount, wrongContact, wrongMessage, wrongSettings } from './answer-faults.ts';
import {
  type Answers,
  adopted,
  emptyAnswers,
  hasWords,
  partsToSave,
  stepFrom,
  stepsOf,
  withoutPart,
} from './answers.rules.ts';

const priya = { name: 'Priya', email: 'priya@post.example', relationship: '', phone: '' };
const nell = { title: 'For Nell', content: 'The tin.', recipientEmail: 'nell@ashworth.example' };
const full: Answers = {
  ...emptyAnswers,
  step: 'account',
  settings: { phone: '07700 900123', inactivityDays: 365, waitingDays: '3' },
  contact: priya,
  message: nell,
};

describe('the steps', () => {
  it('are six for a visitor and five for an owner, who has an account', () => {
    expect(stepsOf('visitor')).toEqual(['welcome', 'settings', 'contact', 'message', 'account', 'done']);
    expect(stepsOf('owner')).toEqual(['welcome', 'settings', 'contact', 'message', 'done']);
  });

  it('follow each other, and end at both ends', () => {
    expect(stepFrom({ form: 'owner', step: 'message' }, 1)).toBe('done');
    expect(stepFrom({ form: 'visitor', step: 'message' }, 1)).toBe('account');
    expect(stepFrom({ form: 'visitor', step: 'welcome' }, -1)).toBe('welcome');
    expect(stepFrom({ form: 'visitor', step: 'done' }, 1)).toBe('done');
  });
});

describe('the unsaved parts of a visitor’s form', () => {
  it('is everything that was typed, and the settings in any case', () => {
    expect(partsToSave(full)).toEqual(['settings', 'contact', 'message']);
    expect(partsToSave(emptyAnswers)).toEqual(['settings']);
  });

  it('gets less with each part, whose words are then gone', () => {
    const without = withoutPart(withoutPart(full, 'contact'), 'settings');
    expect(partsToSave(without)).toEqual(['message']);
    expect(without.contact.name).toBe('');
    expect(partsToSave(withoutPart(without, 'message'))).toEqual([]);
    expect(withoutPart(without, 'contact').saved).toEqual(['settings', 'contact']);
  });

  it('contain nothing to miss if nothing was typed', () => {
    expect(hasWords(emptyAnswers)).toBe(false);
    expect(hasWords(full)).toBe(true);
    expect(hasWords({ ...emptyAnswers, settings: { phone: '', inactivityDays: 90, waitingDays: '3' } })).toBe(true);
    expect(hasWords({ ...emptyAnswers, account: { email: 's', firstName: '', lastName: '' } })).toBe(true);
  });
});

describe('the answers of a visitor who then signs in', () => {
  it('is theirs to look through, from the first step that can be saved', () => {
    expect(adopted(undefined, full)).toMatchObject({ form: 'owner', step: 'settings', contact: priya, message: nell });
    expect(adopted(undefined, emptyAnswers)).toMatchObject({ form: 'owner', step: 'welcome' });
  });

  it('takes nothing away from what they had typed signed in before', () => {
    const own: Answers = { ...emptyAnswers, form: 'owner', step: 'contact', contact: priya };
    expect(adopted(own, { ...emptyAnswers, message: nell })).toMatchObject({
      step: 'contact',
      contact: priya,
      message: nell,
      isAddingMessage: true,
    });
  });
});

describe('an answer', () => {
  it.each([
    ['', true],
    ['07700 900123', true],
    ['by post', false],
  ])('the phone %j is right: %s', (phone, isRight) => {
    expect(wrongSettings({ phone, inactivityDays: 180, waitingDays: '3' }) === null).toBe(isRight);
  });

  it('the waiting time is a whole number of days within limits', () => {
    const wrong = (waitingDays: string) => wrongSettings({ phone: '', inactivityDays: 180, waitingDays })?.errors;
    expect([wrong('0'), wrong('30')]).toEqual([undefined, undefined]);
    for (const typed of ['', '31', '-1', 'two']) expect(wrong(typed)?.waitingDays).toContain('from 0 to 30');
  });

  it('that is missing is asked for as a whole; one that is wrong, beside its field', () => {
    expect(wrongContact(priya)).toBeNull();
    expect(wrongContact({ ...priya, name: ' ' })).toEqual({
      errors: { name: 'Required' },
      notice: {
        title: 'Please fill in required fields',
        description: 'Name and email are required for your trusted person.',
      },
    });
    expect(wrongContact({ ...priya, email: 'priya' })).toEqual({
      errors: { email: 'Please enter a valid email address' },
      notice: null,
    });
    expect(wrongMessage(nell)).toBeNull();
    expect(wrongMessage({ ...nell, recipientEmail: '' })?.notice?.title).toBe('Please fill in all fields');
  });

  it('to the last step may leave out the last name, and need not hold letters and numbers', () => {
    const sam = { email: 'sam@ashworth.example', firstName: 'Sam', lastName: '', password: 'lemonadestand' };
    expect(wrongAccount(sam, priya.email)).toBeNull();
    expect(wrongAccount({ ...sam, password: 'short' }, '')?.errors).toEqual({
      password: 'Password must be at least 8 characters',
    });
    expect(wrongAccount({ ...sam, firstName: '' }, '')?.notice?.description).toBe(
      'Email, password, and first name are required.',
    );
    expect(wrongAccount({ ...sam, email: ' Priya@post.example' }, priya.email)?.errors.email).toMatch(
      /address of your trusted person/,
    );
  });
});
