import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Entry } from './activity-card.tsx';

type ActivityEntry = Parameters<typeof Entry>[0]['entry'];

it('draws no line of the log again if fifty are added to 500', () => {
  let drawn = 0;
  const entries = Array.from({ length: 550 }, (_, index) =>
    Object.defineProperty(
      { position: index, at: '2026-11-01T09:00:00.000Z', kind: 'vault' } as ActivityEntry,
      'words',
      {
        get: () => {
          drawn += 1;
          return `Line ${index}`;
        },
      },
    ),
  );
  const list = (shown: readonly ActivityEntry[]) => (
    <ol>
      {shown.map((entry) => (
        <Entry key={entry.position} entry={entry} />
      ))}
    </ol>
  );
  const { rerender } = render(list(entries.slice(0, 500)));
  const before = drawn;
  rerender(list(entries));
  expect([before, drawn - before]).toEqual([500, 50]);
});
