import type { SealedLetter } from '#shared/contract/messages.ts';
import type { ChecklistId, ChecklistState } from '#shared/rules/checklists.ts';
import type { FirstWeeksNotes } from '#shared/rules/first-weeks/notes.ts';
import type { EnclosureKind } from '#shared/rules/letters/enclosures.ts';

/* Fields of vault.json that the page reads (docs/export-format.md). */

export type VaultFile = {
  name: string;
  mimeType: string;
  sizeBytes: number;
  /** Its item in this page. */
  file?: string;
  /** Its id, if it is a file beside this page. */
  further?: string;
  problem?: 'missing' | 'damaged';
};

type Person = { name: string | null; relation: string | null; email: string };

export type VaultEnclosure = {
  kind: EnclosureKind;
  caption: string;
  transcript: string;
  afterParagraph: number | null;
  file: VaultFile;
  original?: VaultFile | null;
};

export type VaultLetter = {
  title: string;
  content: string;
  encryptedContent: SealedLetter | null;
  recipients: Person[];
  status: 'draft' | 'ready' | 'delivered';
  createdAt: string;
  deliveredAt: string | null;
  attachment: VaultFile | null;
  attachmentTranscript: string | null;
  enclosures: VaultEnclosure[];
  problem?: 'damaged';
};

export type VaultDocument = {
  name: string;
  category: string;
  description: string | null;
  file: VaultFile;
  problem?: 'damaged';
};

export type VaultContact = {
  name: string;
  email: string;
  phone: string | null;
  relationship: string | null;
  isConfirmed: boolean;
  problem?: 'damaged';
};

export type Vault = {
  account: { firstName: string | null; lastName: string | null; email: string };
  messages: VaultLetter[];
  documents: VaultDocument[];
  contacts: VaultContact[];
  checklists: (ChecklistState & { checklistId: ChecklistId })[];
  firstWeeks: (FirstWeeksNotes & { problem?: 'damaged' })[];
};

/** All files that stand beside the page. */
export function furtherFilesOf({ messages, documents }: Vault): (VaultFile & { further: string })[] {
  const files = [
    ...messages.flatMap(({ attachment, enclosures }) => [
      attachment,
      ...enclosures.flatMap(({ file, original }) => [file, original]),
    ]),
    ...documents.map(({ file }) => file),
  ];
  return files.filter((file) => file?.further !== undefined) as (VaultFile & { further: string })[];
}
