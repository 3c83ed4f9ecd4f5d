import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Document as VaultDocument } from '#shared/contract/documents.ts';
import { DocumentCard } from './document-card.tsx';

const acts = { choose: () => {}, edit: () => {}, remove: () => {} };

/** A document that counts how often its name is drawn. */
function counting(number: number) {
  const drawn = { times: 0 };
  const facts = { id: `${number}`, category: 'legal', description: null, fileName: 'will.pdf', fileSize: 1_000 };
  const more = { mimeType: 'application/pdf', visibleToTrustedContact: false, createdAt: '2026-11-01T09:00:00.000Z' };
  const document = Object.defineProperty({ ...facts, ...more } as VaultDocument, 'name', {
    get: () => {
      drawn.times += 1;
      return `Document ${number}`;
    },
  });
  return { document, drawn };
}

it('draws one card again when one of 500 documents changes', () => {
  const all = Array.from({ length: 500 }, (_, number) => counting(number));
  const list = (documents: readonly VaultDocument[]) => (
    <ul>
      {documents.map((document) => (
        <DocumentCard key={document.id} document={document} isChosen={null} acts={acts} />
      ))}
    </ul>
  );
  const documents = all.map(({ document }) => document);
  const { rerender } = render(list(documents));
  const before = all.map(({ drawn }) => drawn.times);
  const changed = counting(7);
  rerender(list(documents.with(7, changed.document)));
  expect(changed.drawn.times).toBeGreaterThan(0);
  expect(all.filter(({ drawn }, index) => drawn.times > (before[index] ?? 0))).toEqual([]);
});
