import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { untouchedChecklist } from '#shared/rules/checklists.ts';
import { templates } from '#web/content/templates.ts';
import { asReset, shownItems, withItem, withTick } from './checklist.rules.ts';
import { fieldsOf, fillTemplate, previewLength, previewOf } from './template-fill.rules.ts';

const content = `LETTER OF [Your name]

I, [Your name], live in [Town].
WHO TO CALL
Phone: ____________
Signature: ____________
WHO ELSE I TRUST
Phone: ____________
A sentence: with no blank.
`;

describe('the fields of a template', () => {
  it('are its placeholders, each once, and its blanks, each below its heading', () => {
    expect(fieldsOf(content)).toEqual([
      { key: '[Your name]', label: 'Your name', group: '' },
      { key: '[Town]', label: 'Town', group: '' },
      { key: 'WHO TO CALL: Phone', label: 'Phone', group: 'Who to call' },
      { key: 'WHO ELSE I TRUST: Phone', label: 'Phone', group: 'Who else I trust' },
    ]);
  });

  it('leave out parts that are signed by hand', () => {
    for (const template of templates) {
      const labels = fieldsOf(template.content).map(({ label }) => label);
      expect(labels.length).toBeGreaterThan(5);
      expect(labels.filter((label) => /signature/i.test(label))).toEqual([]);
    }
  });

  it('are none where nothing is asked', () => {
    expect(fieldsOf('Only words.\n')).toEqual([]);
  });
});

describe('a filled template', () => {
  it('has the typed values in every place, and brackets and blanks elsewhere', () => {
    const filled = fillTemplate(content, {
      '[Your name]': ' Sam ',
      'WHO ELSE I TRUST: Phone': '07700 900456',
      '[Town]': '  ',
    });
    expect(filled).toContain('LETTER OF Sam');
    expect(filled).toContain('I, Sam, live in [Town].');
    expect(filled).toContain('WHO TO CALL\nPhone: ____________');
    expect(filled).toContain('WHO ELSE I TRUST\nPhone: 07700 900456');
    expect(filled).toContain('Signature: ____________');
  });

  it('inserts typed text literally: no sign of it has a meaning', () => {
    for (const value of ['$& $1', '[Town]', 'A: ____', '__proto__']) {
      expect(fillTemplate('I, [Your name].', { '[Your name]': value })).toBe(`I, ${value}.`);
    }
    expect(fillTemplate('[constructor]', {})).toBe('[constructor]');
  });

  it('is the template where nothing was typed', () => {
    for (const template of templates) expect(fillTemplate(template.content, {})).toBe(template.content);
  });

  it('asks for everything that stands in brackets', () => {
    for (const template of templates) {
      const values = Object.fromEntries(fieldsOf(template.content).map(({ key }) => [key, 'x']));
      expect(fillTemplate(template.content, values)).not.toMatch(/\[|^(?!Signature|Date of signature).*_{4}/m);
    }
  });

  it('is shown from its beginning, never with half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 900 }), (text) => {
        const preview = previewOf(text);
        expect(text.startsWith(preview)).toBe(true);
        expect([...preview].length).toBe(Math.min(previewLength, [...text].length));
      }),
    );
    expect(previewOf('🕯'.repeat(600)).isWellFormed()).toBe(true);
  });
});

describe('a checklist', () => {
  const usual = ['List the pensions', 'Tell Priya'];
  const texts = (state: typeof untouchedChecklist) => shownItems(usual, state).map(({ text }) => text);

  it('begins with the usual items, and nothing done', () => {
    expect(shownItems(usual, untouchedChecklist).map(({ isCompleted }) => isCompleted)).toEqual([false, false]);
  });

  it('is ticked, added to and shortened, and an item that was taken off can come back', () => {
    let state = withItem(untouchedChecklist, { text: 'Feed the cat', isListed: true }, 1);
    state = withTick(state, { text: 'Feed the cat', isCompleted: true }, 2);
    state = withItem(state, { text: 'Tell Priya', isListed: false }, 3);
    expect(shownItems(usual, state)).toEqual([
      { text: 'List the pensions', isCompleted: false },
      { text: 'Feed the cat', isCompleted: true },
    ]);
    expect(texts(withItem(state, { text: 'Tell Priya', isListed: true }, 4))).toEqual([...usual, 'Feed the cat']);
  });

  it('follows the person even when the clock of the device was set back', () => {
    const ticked = withTick(untouchedChecklist, { text: 'Tell Priya', isCompleted: true }, 1_000);
    const unticked = withTick(ticked, { text: 'Tell Priya', isCompleted: false }, 5);
    expect(shownItems(usual, unticked)[1]?.isCompleted).toBe(false);
    const reset = asReset(ticked, 5);
    expect(shownItems(usual, reset)[1]?.isCompleted).toBe(false);
    expect(shownItems(usual, withTick(reset, { text: 'Tell Priya', isCompleted: true }, 6))[1]?.isCompleted).toBe(true);
  });

  it('is put back to the usual items, with nothing done', () => {
    const state = withTick(
      withItem(untouchedChecklist, { text: 'Feed the cat', isListed: true }, 1),
      { text: 'Tell Priya', isCompleted: true },
      2,
    );
    expect(shownItems(usual, asReset(state, 3))).toEqual(shownItems(usual, untouchedChecklist));
  });
});
