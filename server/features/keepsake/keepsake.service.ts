import { notOpened } from '#server/features/delivery/delivery.recipient.service.ts';
import type { Deliveries } from '#server/features/delivery/delivery.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { OutgoingStream } from '#server/platform/files/incoming.ts';
import { type KeptLetter, keepsakeName, writeKeepsake } from './keepsake.pdf.ts';

export type Keepsakes = {
  /**
   * The letter behind a link as a PDF, or all that this person has opened of that release. Records nothing. `signal` gives
   * it up.
   * @throws AppError `NOT_FOUND` as the letter itself, `CONFLICT` if there is nothing opened, `RATE_LIMITED`,
   *   `UNAVAILABLE` or `PAYLOAD_TOO_LARGE`.
   */
  copy(token: string, which: { all: boolean; signal?: AbortSignal }): Promise<OutgoingStream>;
};

type Dependencies = { clock: Clock; deliveries: Pick<Deliveries, 'read' | 'enclosure' | 'readerKey'> };

export function createKeepsakes({ clock, deliveries }: Dependencies): Keepsakes {
  async function kept(token: string): Promise<KeptLetter> {
    return { letter: await deliveries.read(token), open: (id) => deliveries.enclosure(token, id) };
  }

  return {
    async copy(token, { all, signal }) {
      const first = await kept(token);
      const { title, senderName, letters: listed, openedAt } = first.letter;
      const tokens = all ? listed.filter((each) => each.openedAt).map((each) => each.token) : openedAt ? [token] : [];
      if (tokens.length === 0) throw notOpened();
      const letters: KeptLetter[] = [];
      for (const each of tokens) letters.push(each === token ? first : await kept(each));
      const name = letters.length > 1 ? `Letters from ${senderName}` : title;
      const content = await writeKeepsake(letters, await clock.now(), {
        reader: await deliveries.readerKey(token),
        ...(signal && { signal }),
      });
      return { name: keepsakeName(name), mimeType: 'application/pdf', content };
    },
  };
}
