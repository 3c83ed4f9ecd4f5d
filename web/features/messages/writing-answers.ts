import type { SealedLetter } from '#shared/contract/messages.ts';
import { titleOutside } from '#shared/rules/letter-seal.ts';
import { deliverOnOf } from '#web/lib/own-day.ts';
import { sealLetter } from '#web/lib/sealing/letter-seal.ts';
import type { MessageAnswers, Writing } from './writing.ts';

/** The fields that are sent. A letter with a passphrase is sealed here, with the key of its envelope if it has one. */
export async function answersOf(
  writing: Writing,
  fileKey?: string,
): Promise<MessageAnswers & { encryptedContent: SealedLetter | null }> {
  const { isSealed, passphrase, hint, locked, when, day, months, version: _, ...words } = writing;
  const [first] = words.recipients;
  const answers = { ...words, recipientEmail: first?.email, deliverOn: deliverOnOf({ when, day, months }) };
  if (!locked && !isSealed) return { ...answers, encryptedContent: null };
  const encryptedContent = locked ?? (await sealLetter({ ...answers, fileKey }, { passphrase, hint }));
  return { ...answers, title: titleOutside({ ...answers, encryptedContent }), content: '', encryptedContent };
}
