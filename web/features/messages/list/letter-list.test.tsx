import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Envelope, EnvelopeGroup } from '#shared/contract/letters/envelopes.ts';
import { LetterList, type LetterListProps } from './letter-list.tsx';

const many = 500;

it('draws one of 500 envelopes again when that one changes', () => {
  let reads = 0;
  const letter = (number: number, title: string) =>
    Object.defineProperty(
      {
        ...{ id: `${number}`, preview: '', category: 'personal', status: 'draft', recipients: [], enclosures: [] },
        ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z', deliverOn: null },
      } as unknown as Envelope,
      'title',
      {
        enumerable: true,
        get: () => {
          reads += 1;
          return title;
        },
      },
    );
  const letters = Array.from({ length: many }, (_, number) => letter(number, `Letter ${number}`));
  const props = (envelopes: Envelope[]): LetterListProps => ({
    groups: [{ key: '', readers: [], envelopes } as unknown as EnvelopeGroup],
    ...{ isByPerson: false, isBehind: false, openingId: undefined, hidesWords: false, ownerName: 'Sam' },
    choosing: { chosen: null, isChosen: () => null, choose: () => {} } as unknown as LetterListProps['choosing'],
    ...{ onOpen: () => {}, onDelete: () => {} },
  });
  const { rerender } = render(<LetterList {...props(letters)} />);
  const ofOne = reads / many;
  reads = 0;
  rerender(<LetterList {...props(letters.with(7, letter(7, 'Another title')))} />);
  expect(screen.getAllByText('Another title').length).toBeGreaterThan(0);
  expect(reads).toBe(ofOne);
});
