import { describe, expect, it } from 'vitest';
import type { Document as VaultDocument } from '#shared/contract/documents.ts';
import { documentSize, documentType, matchingDocuments, storageNote } from './document-list.rules.ts';

const will = { name: 'The will', category: 'legal', description: 'Signed 2024', fileName: 'scan-01.pdf' };
const funeral = { name: 'Funeral', category: 'other', description: 'My instructions', fileName: 'funeral.docx' };
const scan = { name: 'Scan', category: 'personal', description: null, fileName: 'reconstruction.png' };
const documents = [will, funeral, scan] as VaultDocument[];

describe('Finding documents', () => {
  it.each([
    ['WILL', [will]],
    ['signed', [will]],
    ['scan', [will, scan]],
    ['  funeral.DOCX ', [funeral]],
    ['nothing like it', []],
    ['', [will, funeral, scan]],
  ])('looks for “%s” in name, description and file name, in any case', (words, found) => {
    expect(matchingDocuments(documents, { words, category: 'all' })).toEqual(found);
  });

  it('sifts by category; instructions are known by their own words', () => {
    expect(matchingDocuments(documents, { words: '', category: 'legal' })).toEqual([will]);
    expect(matchingDocuments(documents, { words: '', category: 'personal' })).toEqual([scan]);
    expect(matchingDocuments(documents, { words: '', category: 'financial' })).toEqual([]);
    expect(matchingDocuments(documents, { words: '', category: 'instructions' })).toEqual([funeral]);
    expect(matchingDocuments(documents, { words: 'will', category: 'personal' })).toEqual([]);
  });
});

describe('The facts of a document', () => {
  it.each([
    [0, '0 Bytes'],
    [812, '812 Bytes'],
    [999, '999 Bytes'],
    [1_000, '1 KB'],
    [4_240, '4.2 KB'],
    [999_960, '1 MB'],
    [2_400_000, '2.4 MB'],
    [1_100_000_000, '1.1 GB'],
    [5_000_000_000_000, '5,000 GB'],
  ])('%d bytes are %s', (sizeBytes, words) => {
    expect(documentSize(sizeBytes)).toBe(words);
  });

  it.each([
    ['application/pdf', 'PDF'],
    ['application/vnd.oasis.opendocument.text', 'ODT'],
    ['image/jpeg', 'JPEG'],
    ['text/plain; charset=utf-8', 'PLAIN'],
    ['application/msword', 'MSWORD'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'DOCX'],
    ['video/quicktime', 'QUICKTIME'],
    ['', 'Unknown'],
    ['pdf', 'Unknown'],
    [null, 'Unknown'],
  ])('the type %s is %s', (mimeType, words) => {
    expect(documentType(mimeType)).toBe(words);
  });

  it('say how much storage is used', () => {
    expect(storageNote({ current: 499.96, limit: 500 })).toBe('(500 MB / 500 MB)');
    expect(storageNote({ current: 12.34, limit: 500 })).toBe('(12.3 MB / 500 MB)');
  });
});
