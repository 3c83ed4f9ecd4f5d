import { notOpened } from '#server/features/delivery/delivery.recipient.service.ts';
import type { Deliveries } from '#server/features/delivery/delivery.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { OutgoingStream } from '#server/platform/files/incoming.ts';
import { AppError } from '#shared/contract/errors.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { copyNameOf } from '#shared/rules/letters/copy-name.ts';
import { type KeptLetter, titleOf } from './keepsake.letters.ts';
import { writeKeepsakePage } from './keepsake.page.ts';
import { writeKeepsake } from './keepsake.pdf.ts';

/** Copies by one link in a day. A reader who saves a letter on each device, several times, stays far below. */
export const copiesOfLinkPerDayMax = 30;
/** Copies of all letters of one owner in a day, by whichever links. */
export const copiesOfOwnerPerDayMax = 1_000;

export type Keepsakes = {
  /**
   * Returns the letter behind a link as a PDF or a web page, or all letters that this person has opened of that release.
   * Records nothing. `signal` gives it up.
   * @throws AppError `NOT_FOUND` as the letter itself, `CONFLICT` if there is nothing opened, `RATE_LIMITED`,
   *   `UNAVAILABLE` or `PAYLOAD_TOO_LARGE`.
   */
  copy(token: string, which: { all: boolean; as: 'pdf' | 'page'; signal?: AbortSignal }): Promise<OutgoingStream>;
};

type Dependencies = {
  clock: Clock;
  deliveries: Pick<Deliveries, 'read' | 'enclosure' | 'partiesOf'>;
  /** Counts a use of something that has a name. @throws AppError `RATE_LIMITED`. */
  spendBudget(name: string, budget: { limit: number; windowMs: number }): Promise<void>;
};

export function createKeepsakes({ clock, deliveries, spendBudget }: Dependencies): Keepsakes {
  async function spendCopy(token: string, ownerId: string): Promise<void> {
    try {
      await spendBudget(`copies by link ${token}`, { limit: copiesOfLinkPerDayMax, windowMs: dayMs });
      await spendBudget(`copies of owner ${ownerId}`, { limit: copiesOfOwnerPerDayMax, windowMs: dayMs });
    } catch (error) {
      throw error instanceof AppError && error.type === 'RATE_LIMITED' ? tooManyCopies(error) : error;
    }
  }

  async function kept(token: string): Promise<KeptLetter> {
    return { letter: await deliveries.read(token), open: (id) => deliveries.enclosure(token, id) };
  }

  return {
    async copy(token, { all, as, signal }) {
      const first = await kept(token);
      const { title, senderName, letters: listed, openedAt } = first.letter;
      const tokens = all ? listed.filter((each) => each.openedAt).map((each) => each.token) : openedAt ? [token] : [];
      if (tokens.length === 0) throw notOpened();
      const { reader, ownerId } = await deliveries.partiesOf(token);
      await spendCopy(token, ownerId);
      const letters: KeptLetter[] = [];
      for (const each of tokens) letters.push(each === token ? first : await kept(each));
      const name = letters.length > 1 ? `Letters from ${senderName}` : title;
      if (as === 'page') {
        const content = writeKeepsakePage(titleOf(first.letter, letters.length), letters);
        return { name: copyNameOf(name, 'html'), mimeType: 'text/html; charset=utf-8', content };
      }
      const content = await writeKeepsake(letters, await clock.now(), {
        reader,
        ...(signal && { signal }),
      });
      return { name: copyNameOf(name, 'pdf'), mimeType: 'application/pdf', content };
    },
  };
}

function tooManyCopies({ details }: AppError): AppError {
  const message = 'Many copies of these letters were made today. The letter stays on its page: save it again tomorrow.';
  return new AppError('RATE_LIMITED', message, details);
}
