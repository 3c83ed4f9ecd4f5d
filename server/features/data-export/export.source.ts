import type { App } from '#server/app.ts';
import { openComplaint } from '#server/features/complaints/complaints.sealing.ts';
import { openCounted } from '#server/features/contacts/contacts.sealing.ts';
import { openDeleted } from '#server/features/deleted-rows/deleted-rows.sealing.ts';
import { statusForOwner } from '#server/features/delivery/delivery.rules.ts';
import { openPerson } from '#server/features/delivery/delivery.sealing.ts';
import { openListed as openDocument } from '#server/features/documents/documents.sealing.ts';
import { openDraftContent } from '#server/features/drafts/drafts.sealing.ts';
import { outgoingFile } from '#server/features/files/files.ts';
import { findFirstWeeks, openNotes } from '#server/features/first-weeks/first-weeks.rows.ts';
import { openState } from '#server/features/guidance/guidance.sealing.ts';
import type { EnclosureRow } from '#server/features/messages/enclosures.rows.ts';
import { openEnclosure } from '#server/features/messages/enclosures.sealing.ts';
import { openListed as openMessage } from '#server/features/messages/messages.sealing.ts';
import { unsealTextColumn } from '#server/features/notifications/notifications.payload.ts';
import { openPasskeyName } from '#server/features/sessions/second-factors/second-factors.sealing.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import { untouchedChecklist } from '#shared/rules/checklists.ts';
import {
  readAccount,
  readAnswers,
  readAsks,
  readAuditLog,
  readAuthenticators,
  readCheckIns,
  readChecklists,
  readCheckouts,
  readComplaints,
  readContacts,
  readDeleted,
  readDeliveries,
  readDevices,
  readDocuments,
  readDrafts,
  readGivenAddresses,
  readIdentities,
  readNotices,
  readPasskeys,
  readPayments,
  readProposedAddresses,
  readRecoveryCodes,
  readReleaseNotices,
  readRequests,
  readSilences,
  readSubscriptions,
  readTexts,
  readTrusteeships,
  readVouchers,
} from './export.repository.ts';
import { attachmentOf, enclosedFile, fileGiven, filesOf } from './export-files.ts';
import type { FileProblem } from './export-format.ts';
import { type MessageMark, type MessageRow, readFiles, readMessages } from './export-messages.repository.ts';

/** How many letters are read at a time: the longest ones together take some megabytes. */
const messagesPerPage = 50;
/** What is said of a file is some hundred bytes. */
const filesPerPage = 1_000;

export type ExportedMessage = ReturnType<typeof messageOf>;
export type ExportedEnclosure = ExportedMessage['enclosures'][number];
export type ExportedDocument = ReturnType<typeof documentOf>;
export type ExportedContact = Awaited<ReturnType<ExportSource['contacts']>>[number];
export type ExportedAccount = Awaited<ReturnType<ExportSource['account']>>;

/** What is recorded of a person besides what they wrote, by the name it has in an export. */
export type RecordSection = { name: string; read: () => Promise<object[]> };

export type ExportSource = ReturnType<typeof createExportSource>;

async function readOwnDeliveries({ db, clock }: App, userId: string) {
  const nowMs = (await clock.now()).getTime();
  const rows = await readDeliveries(db, userId);
  return rows.map(({ status, ...row }) => {
    const seen = statusForOwner({ status, dueAtMs: row.dueAt?.getTime() ?? null }, nowMs);
    return { ...row, status: seen };
  });
}

/**
 * Reads and opens all data of one person, piece by piece. A new table or column belongs in here, or in the list of
 * `export-coverage.test.ts` with the reason why it is left out.
 */
export function createExportSource(app: App, userId: string, vault: Vault) {
  const { db, serviceKeys } = app;
  return {
    async account() {
      const account = await readAccount(db, userId);
      if (!account) throw new Error('The account went away while it was exported.');
      return account;
    },

    /** Yields messages, oldest first. One that is written meanwhile may be missing. */
    async *messages() {
      for await (const row of inPages((page) => readMessages(db, userId, page), messagesPerPage)) {
        yield messageOf(app, vault, row);
      }
    },

    /** Yields the files of each message, the attachment first. It reads no words of the message. */
    async *filesOfMessages() {
      for await (const row of inPages((page) => readFiles(db, userId, page), filesPerPage)) {
        yield filesOf(app, vault, row);
      }
    },

    async documents() {
      const rows = await readDocuments(db, userId);
      return rows.map((row) => documentOf(app, vault, row));
    },

    async contacts() {
      const rows = await readContacts(db, userId);
      return rows.map(({ userId: _, ...row }) => {
        const { isDamaged, ...opened } = openCounted(vault, row.id, row);
        return { ...row, ...opened, ...problemOf(isDamaged) };
      });
    },

    async checklists() {
      const rows = await readChecklists(db, userId);
      return rows.map(({ userId: _, ...row }) => {
        const { id, checklistId, createdAt, updatedAt } = row;
        const state = unlessBroken(() => openState(vault, { ...row, userId })) ?? { ...untouchedChecklist, ...damaged };
        return { id, checklistId, ...state, createdAt, updatedAt };
      });
    },

    /** One row, or none if nothing was noted. */
    async firstWeeks() {
      const row = await findFirstWeeks(db, userId);
      if (!row) return [];
      const { isDamaged, ...notes } = openNotes(vault, row);
      const { createdAt, updatedAt } = row;
      return [{ ...notes, createdAt, updatedAt, ...problemOf(isDamaged) }];
    },

    records: (): RecordSection[] => [
      { name: 'drafts', read: async () => (await readDrafts(db, userId)).map(openDraft) },
      { name: 'recentlyDeleted', read: async () => (await readDeleted(db, userId)).map(openDeletedRow) },
      { name: 'checkIns', read: () => readCheckIns(db, userId) },
      { name: 'devices', read: () => readDevices(db, userId) },
      { name: 'authenticators', read: () => readAuthenticators(db, userId) },
      { name: 'passkeys', read: async () => (await readPasskeys(db, userId)).map(openPasskey) },
      { name: 'recoveryCodes', read: () => readRecoveryCodes(db, userId) },
      { name: 'identities', read: () => readIdentities(db, userId) },
      { name: 'releaseSilences', read: () => readSilences(db, userId) },
      { name: 'releaseRequests', read: () => readRequests(db, userId) },
      { name: 'releaseAsks', read: () => readAsks(db, userId) },
      { name: 'releaseAnswers', read: async () => (await readAnswers(db, userId)).map(openAnswer) },
      { name: 'releaseNotices', read: () => readReleaseNotices(db, userId) },
      { name: 'deliveries', read: async () => (await readOwnDeliveries(app, userId)).map(openDelivery) },
      {
        name: 'proposedAddresses',
        read: async () => (await readProposedAddresses(db, userId)).map(openProposedAddress),
      },
      {
        name: 'givenAddresses',
        read: async () => (await readGivenAddresses(db, userId)).map(openGivenAddress),
      },
      { name: 'notices', read: () => readNotices(db, userId) },
      { name: 'texts', read: async () => (await readTexts(db, userId)).map(openText) },
      { name: 'trusteeships', read: () => readTrusteeships(db, userId) },
      { name: 'subscriptions', read: () => readSubscriptions(db, userId) },
      { name: 'checkouts', read: () => readCheckouts(db, userId) },
      { name: 'payments', read: () => readPayments(db, userId) },
      { name: 'vouchers', read: () => readVouchers(db, userId) },
      { name: 'complaints', read: async () => (await readComplaints(db, userId)).map(openOwnComplaint) },
    ],

    auditLog: () => readAuditLog(db, userId),
  };

  function openDeletedRow(row: Awaited<ReturnType<typeof readDeleted>>[number]) {
    const { id, kind, deletedAt } = row;
    return {
      id,
      kind,
      deletedAt,
      ...(openDeleted(vault, row) ?? { row: {}, recipients: [], enclosures: [], ...damaged }),
    };
  }

  function openDraft(row: Awaited<ReturnType<typeof readDrafts>>[number]) {
    return opened(row, () => ({ content: openDraftContent(vault, row) }), { content: '' });
  }

  function openPasskey(row: Awaited<ReturnType<typeof readPasskeys>>[number]) {
    return opened(row, () => ({ name: openPasskeyName(vault, row.id, row.name) }), { name: '' });
  }

  function openProposedAddress(row: Awaited<ReturnType<typeof readProposedAddresses>>[number]) {
    const open = (column: 'address' | 'reason') =>
      vault.unseal({ table: 'address_proposals', column, rowId: row.id }, row[column]);
    return opened(row, () => ({ address: open('address'), reason: open('reason') }), { address: '', reason: '' });
  }

  function openGivenAddress(row: Awaited<ReturnType<typeof readGivenAddresses>>[number]) {
    const place = { table: 'given_addresses', column: 'address', rowId: row.id };
    return opened(row, () => ({ address: vault.unseal(place, row.address) }), { address: '' });
  }

  function openAnswer(row: Awaited<ReturnType<typeof readAnswers>>[number]) {
    const place = { table: 'release_answers', column: 'reason', rowId: row.id };
    const { reason } = row;
    return opened(row, () => ({ reason: reason === null ? null : vault.unseal(place, reason) }), { reason: null });
  }

  function openDelivery(row: Awaited<ReturnType<typeof readDeliveries>>[number]) {
    const open = () => {
      const { address, name } = openPerson(vault, row);
      return { recipientEmail: address, recipientName: name ?? '' };
    };
    return opened(withoutOwner(row), open, { recipientEmail: '', recipientName: '' });
  }

  function openOwnComplaint({ payload, ...row }: Awaited<ReturnType<typeof readComplaints>>[number]) {
    return opened(row, () => openComplaint(serviceKeys, row.id, payload), { name: '', email: '', words: '' });
  }

  function openText(row: Awaited<ReturnType<typeof readTexts>>[number]) {
    const { id } = row;
    const open = () => ({
      phone: unsealTextColumn(serviceKeys, { column: 'phone', id }, row.phone),
      message: unsealTextColumn(serviceKeys, { column: 'message', id }, row.message),
    });
    return opened(row, open, { phone: '', message: '' });
  }
}

async function* inPages<Row extends MessageMark>(
  read: (page: { after: MessageMark | null; limit: number }) => Promise<Row[]>,
  limit: number,
): AsyncGenerator<Row> {
  let after: MessageMark | null = null;
  for (;;) {
    const page = await read({ after, limit });
    yield* page;
    after = page.at(-1) ?? null;
    if (page.length < limit) return;
  }
}

/** Said of a row whose words are not in the export because they are damaged. */
const damaged = { problem: 'damaged' } as const satisfies { problem: FileProblem };

function problemOf(isDamaged: true | undefined): { problem?: FileProblem } {
  return isDamaged ? damaged : {};
}

/** A row with its words; where they are damaged, it stands without them, says so, and the others are exported. */
function opened<Row extends object, Words extends object>(row: Row, open: () => Words, empty: Words) {
  return { ...row, ...(unlessBroken(open) ?? { ...empty, ...damaged }) };
}

/** Whose it is, the whole export says. */
function withoutOwner<Row extends { userId: string }>({ userId: _, ...row }: Row): Omit<Row, 'userId'> {
  return row;
}

function messageOf(app: App, vault: Vault, row: MessageRow) {
  const words = openMessage(vault, row, row);
  const { id, title, content, encryptedContent, recipientEmail, category, status, attachmentTranscript } = words;
  const { visibleToTrustedContact, showRecipients, deliverOn, announceWait, position } = row;
  const { deliveredAt, createdAt, updatedAt } = row;
  // What became of each person's letter stands among the deliveries.
  const recipients = words.recipients.map(({ name, relation, email }) => ({ name, relation, email }));
  const said = { id, title, content, encryptedContent, recipientEmail, recipients, position };
  const choices = { showRecipients, deliverOn, announceWait, attachmentTranscript };
  const states = { category, status, visibleToTrustedContact, deliveredAt, createdAt, updatedAt };
  return {
    fields: { ...said, ...choices, ...states, ...problemOf(words.isDamaged) },
    attachment: attachmentOf(app, vault, row),
    enclosures: row.enclosures.map((enclosure) => enclosureOf(app, vault, enclosure)),
  };
}

/** A picture or a voice: its words, and its file. */
function enclosureOf(app: App, vault: Vault, row: EnclosureRow) {
  const { kind, caption, transcript, afterParagraph } = openEnclosure(vault, row);
  return {
    fields: { kind, caption, transcript, afterParagraph },
    file: enclosedFile(app, vault, row),
    original: row.original && enclosedFile(app, vault, row.original),
  };
}

function documentOf(app: App, vault: Vault, row: Awaited<ReturnType<typeof readDocuments>>[number]) {
  const opened = openDocument(vault, row);
  const { id, name, category, description, visibleToTrustedContact, createdAt, updatedAt } = opened;
  const fields = { id, name, category, description, visibleToTrustedContact, createdAt, updatedAt };
  const { filePath: path, fileSize: sizeBytes, mimeType } = opened;
  const stored = { path, name: opened.fileName, sizeBytes, mimeType };
  return {
    fields: { ...fields, ...problemOf(opened.isDamaged) },
    file: fileGiven(path, outgoingFile(app, vault, stored)),
  };
}
