import { z } from 'zod';
import { messageCategories } from '#shared/rules/categories.ts';
import type { WritingInput } from '../writing.ts';

const line = z.string().catch('');
const no = z.boolean().catch(false);

/** What of a letter is kept in the vault while it is being written: all but what belongs to a passphrase. */
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
});

/** The same words are always the same text. */
export function contentOf(values: WritingInput): string {
  return JSON.stringify(draftContent.parse(values));
}

const unsealed = { status: 'draft', isSealed: false, passphrase: '', hint: '', locked: null } as const;

/** What stands in the form for what was kept; null where it can't be read. */
export function writingOf(content: string): WritingInput | null {
  try {
    return { ...draftContent.parse(JSON.parse(content)), ...unsealed };
  } catch {
    return null;
  }
}
