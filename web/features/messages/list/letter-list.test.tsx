import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Envelope } from '#shared/contract/letters/envelopes.ts';
import { envelopeOf } from '#web/pages/vault/letters.test-world.ts';
import { messageOf } from '#web/pages/vault/vault.test-world.ts';
import { LetterList } from './letter-list.tsx';

const choosing = {
  chosen: null,
  isChosen: () => null,
  choose: () => {},
  all: () => {},
  begin: () => {},
  done: () => {},
};

const nell = { name: 'Nell', relation: null, email: 'nell@ashworth.example', isOrdered: false };

/** A letter that counts how often its title is drawn. */
function counting(number: number) {
  const drawn = { times: 0 };
  const message: Envelope = Object.defineProperty(
    envelopeOf(messageOf({ id: `${number}`, position: number })),
    'title',
    {
      get: () => {
        drawn.times += 1;
        return `Letter ${number}`;
      },
    },
  );
  return { message, drawn };
}

it('draws one envelope again when one of 500 letters changes', () => {
  const letters = Array.from({ length: 500 }, (_, number) => counting(number));
  const list = (envelopes: readonly Envelope[]) => (
    <LetterList
      groups={[{ key: nell.email, readers: [nell], envelopes: [...envelopes] }]}
      isByPerson
      isBehind={false}
      openingId={undefined}
      hidesWords={false}
      ownerName="Sam"
      choosing={{ ...choosing, buttonRef: { current: null } }}
      onOpen={() => {}}
      onDelete={() => {}}
    />
  );
  const messages = letters.map(({ message }) => message);
  const { rerender } = render(list(messages));
  const before = letters.map(({ drawn }) => drawn.times);
  const changed = counting(7);
  rerender(list(messages.with(7, changed.message)));
  expect(changed.drawn.times).toBeGreaterThan(0);
  const others = letters.map(({ drawn }, index) => drawn.times - (before[index] ?? 0));
  expect(others.filter((times) => times > 0)).toEqual([]);
});
