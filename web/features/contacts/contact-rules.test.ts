import { describe, expect, it } from 'vitest';
import type { TrustedContact } from '#shared/contract/contacts.ts';
import { contactState, matchingContacts } from './contact-state.ts';
import { relationshipKind } from './relationship.rules.ts';

describe('The sign of a relationship', () => {
  it.each([
    ['My sister', 'family'],
    ['grandson', 'family'],
    ['Step-mother', 'family'],
    ['brother-in-law', 'family'],
    ['Family', 'family'],
    ['Wife', 'partner'],
    ['civil partner', 'partner'],
    ['Spouse and best friend', 'partner'],
    ['business partner', 'person'],
    ['Best Friend', 'friend'],
    ['neighbour', 'friend'],
    ['family solicitor', 'family'],
    ['Solicitor', 'lawyer'],
    ['My GP', 'doctor'],
    ['person I trust', 'person'],
    ['treasonable', 'person'],
    ['', 'person'],
    [null, 'person'],
  ])('for %s is %s', (relationship, kind) => {
    expect(relationshipKind(relationship)).toBe(kind);
  });
});

const invited = {
  name: 'Priya Shah',
  email: 'priya@post.example',
  relationship: 'Friend',
  isActive: true,
  isConfirmed: false,
  hasDeclined: false,
  confirmationSentAt: '2026-11-20T10:00:00.000Z',
  invitationLeavesAt: null,
  confirmedAt: null,
} as TrustedContact;

describe('The state of a contact', () => {
  it.each([
    [{}, 'Invited', true],
    [{ confirmationSentAt: null }, 'Waiting for your verification', false],
    [{ confirmationSentAt: null, invitationLeavesAt: '2026-11-24T10:00:00.000Z' }, 'Invitation waits', false],
    [{ isConfirmed: true, confirmedAt: '2026-11-21T10:00:00.000Z' }, 'Confirmed', false],
    [{ hasDeclined: true }, 'Declined', true],
    [{ isActive: false, isConfirmed: true }, 'Switched off', false],
  ])('with %o is %s', (change, label, canBeInvited) => {
    expect(contactState({ ...invited, ...change })).toMatchObject({ label, canBeInvited });
  });

  it('tells the day on which something happened', () => {
    expect(contactState(invited).note).toBe('Invited on 20 November 2026, no answer yet.');
  });
});

describe('Finding contacts', () => {
  const tom = { ...invited, name: 'Tom Reed', email: 'tom@post.example', relationship: null };
  it('looks in name, address and relationship, in any case', () => {
    expect(matchingContacts([invited, tom], 'PRIYA')).toEqual([invited]);
    expect(matchingContacts([invited, tom], 'tom@')).toEqual([tom]);
    expect(matchingContacts([invited, tom], 'friend')).toEqual([invited]);
    expect(matchingContacts([invited, tom], '')).toEqual([invited, tom]);
    expect(matchingContacts([invited, tom], 'nobody')).toEqual([]);
  });
});
