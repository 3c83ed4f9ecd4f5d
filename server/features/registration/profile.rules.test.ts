import { describe, expect, it } from 'vitest';
import { maySaveUnverified } from './profile.rules.ts';

describe('the safety settings of an unverified owner', () => {
  const untouched = { phone: null, releaseMethod: 'inactivity', inactivityDays: 90 } as const;
  const chosen = { phone: '07700 900123', releaseMethod: 'inactivity', inactivityDays: 180 } as const;

  it('may be saved while nothing was chosen', () => {
    expect(maySaveUnverified(untouched, chosen)).toBe(true);
  });

  it('may be saved again as they are, for a press that came twice', () => {
    expect(maySaveUnverified(chosen, chosen)).toBe(true);
  });

  it('may be saved again if only the first half of them arrived', () => {
    expect(maySaveUnverified({ ...untouched, phone: chosen.phone }, chosen)).toBe(true);
    expect(maySaveUnverified({ ...chosen, phone: null }, chosen)).toBe(true);
  });

  it('may not be changed afterwards', () => {
    expect(maySaveUnverified(chosen, { ...chosen, phone: null })).toBe(false);
    expect(maySaveUnverified(chosen, { ...chosen, inactivityDays: 365 })).toBe(false);
    expect(maySaveUnverified(chosen, { ...chosen, releaseMethod: 'trusted_contact' })).toBe(false);
    expect(maySaveUnverified({ ...untouched, releaseMethod: 'trusted_contact' }, chosen)).toBe(false);
  });
});
