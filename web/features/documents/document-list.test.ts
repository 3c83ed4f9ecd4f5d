import { describe, expect, it } from 'vitest';
import { documentSize, documentType, storageNote } from './document-list.rules.ts';

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
