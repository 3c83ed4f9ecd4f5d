import type { z } from 'zod';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { envelopeSchema } from '#shared/contract/letters/envelopes.ts';
import { previewOf } from '#shared/rules/letters/envelopes.ts';
import type { ListedMessage } from '../listed.repository.ts';
import { openListed } from '../messages.sealing.ts';

type Envelope = z.output<typeof envelopeSchema>;

/** A message as lists show it, without its words. A damaged one has no preview either. */
export function openEnvelope(vault: Vault, message: ListedMessage): Omit<Envelope, 'readingIndex'> {
  const {
    content,
    encryptedContent,
    attachmentTranscript: _,
    enclosures,
    ...shown
  } = openListed(vault, message.row, message);
  return {
    ...shown,
    preview: previewOf(content),
    isSealed: encryptedContent !== null,
    pictures: enclosures.filter(({ kind }) => kind === 'picture').length,
    hasVoice: enclosures.some(({ kind }) => kind === 'voice'),
  };
}
