import { describe, expect, test } from 'vitest';
import { type ComparedMessage, detailsOf, isPromised, readyChangeBetween } from './ready-changes.rules.ts';

const message: ComparedMessage = {
  status: 'ready',
  title: 'For later',
  content: 'Look after the boat.',
  encryptedContent: null,
  recipients: [{ name: 'Nell', relation: null, email: 'nell@family.example' }],
  showRecipients: false,
  deliverOn: null,
  announceWait: false,
  visibleToTrustedContact: false,
  attachmentOriginalName: null,
  attachmentSize: null,
  attachmentTranscript: null,
  enclosures: [],
};

type Given = { before?: ComparedMessage | null; isFileNew?: boolean; readersAfter?: string[] };
const changeTo = (change: Partial<ComparedMessage>, given: Given = {}) =>
  readyChangeBetween({
    ...{ before: message, readersBefore: ['nell'], readersAfter: ['nell'], isFileNew: false },
    ...given,
    after: { ...message, ...change },
  });
const mal = { name: 'Nell', relation: null, email: 'mal@elsewhere.example' };

describe('a ready message', () => {
  test.each([
    ['title', { title: 'For now' }, 'words'],
    ['text', { content: 'Sell the boat.' }, 'words'],
    ['passphrase', { encryptedContent: { data: 'x' } }, 'words'],
    ['address of a reader', { recipients: [mal] }, 'readers'],
    ['name of a reader', { recipients: [{ ...mal, email: 'nell@family.example', name: 'Ned' }] }, 'readers'],
    ['view of the other readers', { showRecipients: true }, 'readers'],
    ['day', { deliverOn: '2031-05-04' }, 'day'],
    ['months', { deliverOn: { months: 3 } }, 'day'],
    ['announcement of the wait', { announceWait: true }, 'day'],
    ['visibility', { visibleToTrustedContact: true }, 'visibility'],
    ['name of the file', { attachmentOriginalName: 'map.pdf' }, 'files'],
    ['transcript', { attachmentTranscript: 'Hello.' }, 'files'],
    ['pictures', { enclosures: [{ id: 'one' }] }, 'files'],
  ])('with another %s has changed', (_, change, kind) => {
    expect(changeTo(change)).toEqual({ kinds: [kind], newReaders: [] });
  });

  test('with another file of the same name and size has changed', () => {
    expect(changeTo({}, { isFileNew: true })?.kinds).toEqual(['files']);
  });

  test('that is saved as it was has not changed', () => {
    expect(changeTo({})).toBeNull();
  });

  test('names the readers that it did not have', () => {
    expect(changeTo({ recipients: [mal] }, { readersAfter: ['mal', 'nell'] })?.newReaders).toEqual(['mal']);
  });

  test('that becomes a draft counts once, with any other change', () => {
    expect(changeTo({ status: 'draft', title: 'x' })).toEqual({ kinds: ['draft'], newReaders: [] });
  });
});

describe('a draft', () => {
  test('that becomes ready names all its readers', () => {
    expect(changeTo({}, { before: null })).toEqual({ kinds: ['ready'], newReaders: ['nell'] });
  });
  test('that stays a draft is no change', () => {
    expect(changeTo({ status: 'draft', title: 'x' }, { before: null })).toBeNull();
  });
});

test('a message that waits for its day is promised, a delivered one and a draft are not', () => {
  expect(isPromised({ status: 'delivered', deliveredAt: null })).toBe(true);
  expect(isPromised({ status: 'delivered', deliveredAt: {} })).toBe(false);
  expect(isPromised({ status: 'draft', deliveredAt: null })).toBe(false);
});

test('the log names new readers only if there are any', () => {
  expect(detailsOf({ kinds: ['day'], newReaders: [] })).toEqual({ ready: ['day'] });
  expect(detailsOf({ kinds: ['ready'], newReaders: ['a'] })).toEqual({ ready: ['ready'], newReaders: ['a'] });
});
