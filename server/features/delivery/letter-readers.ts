import { foldedPerson, type Reader } from './delivery.rules.ts';

type Addressed = { recipients: readonly { name: string | null; email: string }[]; isSealed: boolean };

/** Recipients of messages, each person once, with the number of letters and of those that ask for a passphrase. */
export function readersOf(messages: readonly Addressed[]): (Reader & { letters: number; sealed: number })[] {
  const readers = messages.flatMap(({ recipients, isSealed }) =>
    recipients.map(({ name, email }) => ({ reader: { name, address: email }, isSealed })),
  );
  const byPerson = Map.groupBy(readers, ({ reader }) => JSON.stringify(foldedPerson(reader)));
  return [...byPerson.values()].flatMap((same) => {
    const sealed = same.filter(({ isSealed }) => isSealed).length;
    return same[0] ? [{ ...same[0].reader, letters: same.length, sealed }] : [];
  });
}
