import type { App } from '#server/app.ts';
import { getDeliveredEnclosure } from '#server/features/delivery/letter-page.ts';
import { notOpened, openedLinksOf, partiesOf, readLetter } from '#server/features/delivery/read-letter.ts';
import type { HttpCall } from '#server/http/bind.ts';
import { leftSignal } from '#server/http/bodies/downloads.ts';
import type { OutgoingStream } from '#server/platform/files/incoming.ts';
import { AppError } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/letters/keepsake.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { copyNameOf } from '#shared/rules/letters/copy-name.ts';
import { type KeptLetter, titleOf } from './keepsake.letters.ts';
import { writeKeepsakePage } from './keepsake.page.ts';
import { writeKeepsake } from './keepsake.pdf.ts';

/** Copies by one link in a day. A reader who saves a letter on each device, several times, stays far below. */
export const copiesOfLinkPerDayMax = 30;
/** Copies of all letters of one owner in a day, over all links. */
export const copiesOfOwnerPerDayMax = 1_000;

/**
 * Returns the letter behind a link as a PDF or a web page, or all letters that this person has opened of that release. Records
 * nothing.
 * @throws AppError `NOT_FOUND` as the letter itself, `CONFLICT` if no letter is opened, `RATE_LIMITED`, `UNAVAILABLE` or
 *   `PAYLOAD_TOO_LARGE`.
 */
export async function copyDeliveredLetter(
  app: App,
  { params, query, reply }: HttpCall<typeof contract.copyDeliveredLetter>,
): Promise<OutgoingStream> {
  const { token } = params;
  const { all, as } = query;
  const signal = leftSignal(reply);
  const first = await kept(app, token);
  const { title, senderName, openedAt } = first.letter;
  const tokens = all ? await openedLinksOf(app, token) : openedAt ? [token] : [];
  if (tokens.length === 0) throw notOpened();
  const { reader, ownerId } = await partiesOf(app, token);
  await spendCopy(app, token, ownerId);
  const letters: KeptLetter[] = [];
  for (const each of tokens) letters.push(each === token ? first : await kept(app, each));
  const name = letters.length > 1 ? `Letters from ${senderName}` : title;
  if (as === 'page') {
    const content = writeKeepsakePage(titleOf(first.letter, letters.length), letters);
    return { name: copyNameOf(name, 'html'), mimeType: 'text/html; charset=utf-8', content };
  }
  const content = await writeKeepsake(letters, await app.clock.now(), {
    reader,
    signal,
  });
  return { name: copyNameOf(name, 'pdf'), mimeType: 'application/pdf', content };
}

async function spendCopy(app: App, token: string, ownerId: string): Promise<void> {
  try {
    await app.limits.spend(`copies by link ${token}`, { limit: copiesOfLinkPerDayMax, windowMs: dayMs });
    await app.limits.spend(`copies of owner ${ownerId}`, { limit: copiesOfOwnerPerDayMax, windowMs: dayMs });
  } catch (error) {
    throw error instanceof AppError && error.type === 'RATE_LIMITED' ? tooManyCopies(error) : error;
  }
}

async function kept(app: App, token: string): Promise<KeptLetter> {
  const open = (enclosureId: string) => getDeliveredEnclosure(app, { params: { token, enclosureId } });
  return { letter: await readLetter(app, token), open };
}

function tooManyCopies({ details }: AppError): AppError {
  const message = 'Many copies of these letters were made today. The letter stays on its page: save it again tomorrow.';
  return new AppError('RATE_LIMITED', message, details);
}
