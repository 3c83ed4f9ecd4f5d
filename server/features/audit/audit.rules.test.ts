import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AuditContent, canonicalContent, withoutContent } from './audit.rules.ts';

const content: AuditContent = {
  id: '1',
  chain: 'c',
  action: 'a.b',
  resource: 'a',
  resourceId: null,
  details: null,
  originHash: null,
  createdAt: '2026-03-01T09:30:00.123Z',
};

test('the order in which details were written makes no difference', () => {
  const one = canonicalContent({ ...content, details: { a: 1, b: { c: [1, { x: 1, y: 2 }], d: 2 } } });
  const other = canonicalContent({ ...content, details: { b: { d: 2, c: [1, { y: 2, x: 1 }] }, a: 1 } });
  expect(one).toBe(other);
});

test('two different rows are never the same text', () => {
  const field = fc.option(fc.string({ maxLength: 4 }), { nil: null });
  const row = fc.record({ resourceId: field, originHash: field });
  fc.assert(
    fc.property(row, row, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      expect(canonicalContent({ ...content, ...one })).not.toBe(canonicalContent({ ...content, ...other }));
    }),
  );
});

test('ids, counts, dates and single words stay in the details', () => {
  const id = '0190a0b0-0000-7000-8000-000000000000';
  const at = new Date(0);
  expect(withoutContent({ id, count: 2, isActive: false, none: null, fields: ['email', 'phone'], at })).toEqual({
    id,
    count: 2,
    isActive: false,
    none: null,
    fields: ['email', 'phone'],
    at: '1970-01-01T00:00:00.000Z',
  });
});

test('nothing with a space, an at sign or great length stays, however it is wrapped', () => {
  const secret = fc.oneof(fc.constant('two words'), fc.constant('a@b.c'), fc.string({ minLength: 81, maxLength: 90 }));
  fc.assert(
    fc.property(secret, (text) => {
      const kept = JSON.stringify(withoutContent({ text, list: [text], in: { in: { text } }, [text]: 1 }));
      expect(kept).not.toContain(JSON.stringify(text).slice(1, -1));
    }),
  );
});

test('details end somewhere', () => {
  const endless: Record<string, unknown> = {};
  endless.self = endless;
  expect(JSON.stringify(withoutContent(endless))).toContain('[withheld]');
});
