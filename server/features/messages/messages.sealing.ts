import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { SealedLetter } from '#shared/contract/messages.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { titleOutside } from '#shared/rules/letter-seal.ts';
import type { EnclosureRow } from './enclosures.rows.ts';
import { openEnclosure, type ShownEnclosure } from './enclosures.sealing.ts';
import type { ListedRecipient } from './listed.repository.ts';
import { type Shown, shownRecipients } from './messages.recipients.ts';

/** Sealed columns of a message. */
type SealedColumn = 'title' | 'content' | 'encrypted_content' | 'attachment_original_name' | 'attachment_transcript';

type Words = { title: string; content: string };
type OfFile = { attachmentOriginalName: string | null; attachmentTranscript: string | null };
type Written = Words & { encryptedContent?: SealedLetter | null | undefined };
type SealedWords = Words & { encryptedContent: string | null };

/**
 * Seals the words of a message. Content that a browser has sealed is sealed again, because its hint is in the clear. Its title
 * is part of the browser's seal, so only a placeholder is stored outside.
 */
export function sealWords(vault: Vault, id: string, words: Written): SealedWords {
  const { content, encryptedContent } = words;
  return {
    title: vault.seal(contextOf(id, 'title'), titleOutside(words)),
    content: vault.seal(contextOf(id, 'content'), content),
    encryptedContent: encryptedContent
      ? vault.seal(contextOf(id, 'encrypted_content'), JSON.stringify(encryptedContent))
      : null,
  };
}

/** Opens content that a browser has sealed. It stays sealed with the passphrase. Null if there is none. */
export function openSealedLetter(vault: Vault, id: string, sealed: string | null): SealedLetter | null {
  return sealed === null ? null : (JSON.parse(openWords(vault, id, 'encrypted_content', sealed)) as SealedLetter);
}

export function sealFileName(vault: Vault, id: string, name: string): string {
  return vault.seal(contextOf(id, 'attachment_original_name'), name);
}

export function sealTranscript(vault: Vault, id: string, transcript: string): string {
  return vault.seal(contextOf(id, 'attachment_transcript'), transcript);
}

/** Opens one value of a message. Throws `SealBrokenError` if it was not sealed for this row and column. */
export function openWords(vault: Vault, id: string, column: SealedColumn, sealed: string): string {
  return vault.unseal(contextOf(id, column), sealed);
}

/** Opens the sealed columns that a row has. */
export function openRow<Row extends { id: string } & Partial<Words & OfFile>>(vault: Vault, row: Row): Row {
  const { id, title, content, attachmentOriginalName, attachmentTranscript } = row;
  return {
    ...row,
    ...(title === undefined ? {} : { title: openWords(vault, id, 'title', title) }),
    ...(content === undefined ? {} : { content: openWords(vault, id, 'content', content) }),
    ...(attachmentOriginalName
      ? { attachmentOriginalName: openWords(vault, id, 'attachment_original_name', attachmentOriginalName) }
      : {}),
    ...(attachmentTranscript
      ? { attachmentTranscript: openWords(vault, id, 'attachment_transcript', attachmentTranscript) }
      : {}),
  };
}

/** Opens a whole message, as its owner sees it. */
export function openOwners<Row extends { id: string; encryptedContent: string | null } & Words>(
  vault: Vault,
  row: Row,
) {
  return { ...openRow(vault, row), encryptedContent: openSealedLetter(vault, row.id, row.encryptedContent) };
}

type OwnersRow = Words & OfFile & { id: string; encryptedContent: string | null };
type Listed<Row> = Omit<Row, 'encryptedContent' | 'recipients' | 'enclosures'> & {
  encryptedContent: SealedLetter | null;
  enclosures: ShownEnclosure[];
  isDamaged?: true;
} & Shown;

/** Opens a message for a list. A damaged message has no words. */
export function openListed<Row extends OwnersRow>(
  vault: Vault,
  row: Row,
  { recipients, enclosures }: { recipients: readonly ListedRecipient[]; enclosures: readonly EnclosureRow[] },
): Listed<Row> {
  const withoutWords = {
    ...{ title: damagedTitle, content: '', encryptedContent: null },
    ...{ attachmentOriginalName: null, attachmentTranscript: null },
    ...{ recipients: [], recipientEmail: '', isDamaged: true as const },
  };
  const open = () => ({ ...openOwners(vault, row), ...shownRecipients(vault, recipients) });
  const enclosed = enclosures.map((enclosure) => openEnclosure(vault, enclosure));
  return { ...(unlessBroken(open) ?? { ...row, ...withoutWords }), enclosures: enclosed };
}

function contextOf(rowId: string, column: SealedColumn) {
  return { table: 'messages', column, rowId };
}
