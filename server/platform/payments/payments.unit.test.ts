import { describe, expect, test } from 'vitest';
import { readToldEvent } from './payments.ts';

const head = { id: 'evt_1', type: 'invoice.paid', at: new Date('2026-11-29T18:00:00Z') };

describe('the head of a signed event', () => {
  test('is taken as it is', () => {
    expect(readToldEvent(head)).toEqual(head);
  });

  test.each([
    ['without a number', { id: undefined }],
    ['with an empty number', { id: '' }],
    ['with a number that is an object', { id: { a: 1 } }],
    ['with a number that no row can hold', { id: 'evt\0' }],
    ['with a number of many letters', { id: 'e'.repeat(256) }],
    ['without a kind', { type: undefined }],
    ['with a kind of many letters', { type: 't'.repeat(256) }],
    ['with a time that is none', { at: new Date(Number.NaN) }],
    ['with a time that no row can hold', { at: new Date(8.64e15) }],
  ])('%s is refused as unreadable', (_, wrong) => {
    expect(() => readToldEvent({ ...head, ...wrong })).toThrow(expect.objectContaining({ reason: 'unreadable' }));
  });
});
