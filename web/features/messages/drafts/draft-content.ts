import { z } from 'zod';
import { messageCategories } from '#shared/rules/categories.ts';
import type { WritingInput } from '../writing.ts';

const line = z.string().catch('');
const no = z.boolean().catch(false);

/** Part of a letter that is kept in the vault during writing: everything except the passphrase and its parts. */
const draftContent = z.object({
  title: line,
  content: line,
  recipients: z
    .array(z.object({ name: line, relation: line, email: line }))
    .min(1)
    .catch([{ name: '', relation: '', email: '' }]),
  showRecipients: no,
  when: z.enum(['once', 'day', 'months']).catch('once'),
  day: line,
  months: line,
  announceWait: no,
  category: z.enum(messageCategories).catch('personal'),
  visibleToTrustedContact: no,
  attachmentTranscript: line,
  /** Version of the saved letter that the words were made from. */
  version: z.string().optional().catch(undefined),
});

/** Equal content always yields equal text. */
export function contentOf(values: WritingInput): string {
  return JSON.stringify(draftContent.parse(values));
}

const unsealed = { status: 'draft', isSealed: false, passphrase: '', hint: '', locked: null } as const;

/** Form fields of a kept draft. Null if it can't be read. */
export function writingOf(content: string): WritingInput | null {
  try {
    return { ...draftContent.parse(JSON.parse(content)), ...unsealed };
  } catch {
    return null;
  }
}
