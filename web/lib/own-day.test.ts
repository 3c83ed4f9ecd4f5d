import { describe, expect, it } from 'vitest';
import { deliverOnOf, doesWait, whenFieldsOf, whenWords } from './own-day.ts';

const nowMs = Date.parse('2026-11-25T12:00:00Z');

describe('The day of a letter', () => {
  it.each([null, '2031-05-04', { months: 6 }])('%j is the same again after it stood in the form', (deliverOn) => {
    expect(deliverOnOf(whenFieldsOf(deliverOn))).toEqual(deliverOn);
  });

  it('is said as people do', () => {
    expect(whenWords(null)).toBe('as soon as it is time');
    expect(whenWords('2131-05-04')).toBe('on 4 May 2131');
    expect(whenWords({ months: 1 })).toBe('1 month after it is time');
    expect(whenWords('2001-05-04')).toBe('as soon as it is time');
  });

  it('is at once where the day has passed', () => {
    expect(doesWait('2026-11-25', nowMs)).toBe(false);
    expect(doesWait('2026-11-26', nowMs)).toBe(true);
    expect(doesWait({ months: 1 }, nowMs)).toBe(true);
    expect(doesWait(null, nowMs)).toBe(false);
  });
});
