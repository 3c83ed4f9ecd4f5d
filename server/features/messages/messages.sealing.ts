import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { SealedLetter } from '#shared/contract/messages.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { titleOutside } from '#shared/rules/letter-seal.ts';
import type { EnclosureRow } from './enclosures.rows.ts';
import { openEnclosure, type ShownEnclosure } from './enclosures.sealing.ts';
import type { ListedRecipient } from './listed.repository.ts';
import { type Shown, shownRecipients } from './messages.recipients.ts';

/** The columns that hold somebody's words or address. */
type SealedColumn = 'title' | 'content' | 'encrypted_content' | 'attachment_original_name' | 'attachment_transcript';

type Words = { title: string; content: string };
/** What is said of the file of a message. */
type OfFile = { attachmentOriginalName: string | null; attachmentTranscript: string | null };
type Written = Words & { encryptedContent?: SealedLetter | null | undefined };
type SealedWords = Words & { encryptedContent: string | null };

/**
 * Seals once more what a browser has sealed: its hint is somebody's words too. A title that lies under that seal is not
 * stored beside it, whatever was sent.
 */
export function sealWords(vault: Vault, id: string, words: Written): SealedWords {
  const { content, encryptedContent } = words;
  return {
    title: vault.seal(place(id, 'title'), titleOutside(words)),
    content: vault.seal(place(id, 'content'), content),
    encryptedContent: encryptedContent
      ? vault.seal(place(id, 'encrypted_content'), JSON.stringify(encryptedContent))
      : null,
  };
}

/** A letter as its writer's browser sealed it; null where it did not. */
export function openSealedLetter(vault: Vault, id: string, sealed: string | null): SealedLetter | null {
  return sealed === null ? null : (JSON.parse(openWords(vault, id, 'encrypted_content', sealed)) as SealedLetter);
}

export function sealFileName(vault: Vault, id: string, name: string): string {
  return vault.seal(place(id, 'attachment_original_name'), name);
}

export function sealTranscript(vault: Vault, id: string, transcript: string): string {
  return vault.seal(place(id, 'attachment_transcript'), transcript);
}

/** Opens one value of a message. Throws `SealBrokenError` for a value that was not sealed for this very place. */
export function openWords(vault: Vault, id: string, column: SealedColumn, sealed: string): string {
  return vault.unseal(place(id, column), sealed);
}

/** Opens all that a row has of these, and leaves the rest of it as it is. */
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

/** The same of a whole message, as its owner sees it. */
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

/** The same in a list, where a message that is damaged stands without its words. */
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

function place(rowId: string, column: SealedColumn) {
  return { table: 'messages', column, rowId };
}
