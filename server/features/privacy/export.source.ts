import { openPasskeyName } from '#server/features/accounts/second-factors.sealing.ts';
import { openContact } from '#server/features/contacts/contacts.sealing.ts';
import { recipientOf } from '#server/features/delivery/delivery.mail.service.ts';
import { fileOf, openRow as openDocument } from '#server/features/documents/documents.sealing.ts';
import type { Files } from '#server/features/files/files.service.ts';
import { openState } from '#server/features/guidance/guidance.sealing.ts';
import { attachmentOf } from '#server/features/messages/messages.attachments.ts';
import { openOwners as openMessage } from '#server/features/messages/messages.sealing.ts';
import { unsealTextColumn } from '#server/features/notifications/notifications.payload.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import {
  type MessageMark,
  type MessageRow,
  readAccount,
  readAuditLog,
  readAuthenticators,
  readCheckIns,
  readChecklists,
  readCheckouts,
  readContacts,
  readDeliveries,
  readDevices,
  readDocuments,
  readIdentities,
  readMessages,
  readNotices,
  readPasskeys,
  readPayments,
  readRecoveryCodes,
  readReleaseAnswers,
  readReleases,
  readSubscriptions,
  readTexts,
  readTrusteeships,
  readVouchers,
} from './export.repository.ts';

/** How many letters are read at a time: the longest ones together take some megabytes. */
const messagesPerPage = 50;

export type ExportedMessage = ReturnType<typeof messageOf>;
export type ExportedDocument = ReturnType<typeof documentOf>;
export type ExportedContact = Awaited<ReturnType<ExportSource['contacts']>>[number];
export type ExportedAccount = Awaited<ReturnType<ExportSource['account']>>;

/** What is recorded of a person besides what they wrote, by the name it has in an export. */
export type RecordSection = { name: string; read: () => Promise<object[]> };

export type ExportSource = ReturnType<typeof createExportSource>;

type SourceDependencies = { db: Executor; serviceKeys: ServiceKeys; files: Pick<Files, 'giveOut'> };

/**
 * Everything that is kept of one person, opened, piece by piece. A new table or column belongs in here, or among those
 * that `export-coverage.test.ts` leaves out for a reason.
 */
export function createExportSource({ db, serviceKeys, files }: SourceDependencies, userId: string, vault: Vault) {
  return {
    async account() {
      const account = await readAccount(db, userId);
      if (!account) throw new Error('The account went away while it was exported.');
      return account;
    },

    /** Oldest first. What is written while this runs may or may not be among them. */
    async *messages() {
      let after: MessageMark | null = null;
      for (;;) {
        const page: MessageRow[] = await readMessages(db, userId, { after, limit: messagesPerPage });
        for (const row of page) yield messageOf(vault, files, row);
        after = page.at(-1) ?? null;
        if (page.length < messagesPerPage) return;
      }
    },

    async documents() {
      const rows = await readDocuments(db, userId);
      return rows.map((row) => documentOf(vault, files, row));
    },

    async contacts() {
      const rows = await readContacts(db, userId);
      return rows.map(({ userId: _, ...row }) => ({ ...row, ...openContact(vault, row.id, row) }));
    },

    async checklists() {
      const rows = await readChecklists(db, userId);
      return rows.map(({ userId: _, ...row }) => {
        const { id, checklistId, createdAt, updatedAt } = row;
        return { id, checklistId, ...openState(vault, { ...row, userId }), createdAt, updatedAt };
      });
    },

    records: (): RecordSection[] => [
      { name: 'checkIns', read: () => readCheckIns(db, userId) },
      { name: 'devices', read: () => readDevices(db, userId) },
      { name: 'authenticators', read: () => readAuthenticators(db, userId) },
      { name: 'passkeys', read: async () => (await readPasskeys(db, userId)).map(openPasskey) },
      { name: 'recoveryCodes', read: () => readRecoveryCodes(db, userId) },
      { name: 'identities', read: () => readIdentities(db, userId) },
      { name: 'releases', read: async () => (await readReleases(db, userId)).map(withoutOwner) },
      { name: 'releaseAnswers', read: async () => (await readReleaseAnswers(db, userId)).map(openAnswer) },
      { name: 'deliveries', read: async () => (await readDeliveries(db, userId)).map(openDelivery) },
      { name: 'notices', read: () => readNotices(db, userId) },
      { name: 'texts', read: async () => (await readTexts(db, userId)).map(openText) },
      { name: 'trusteeships', read: () => readTrusteeships(db, userId) },
      { name: 'subscriptions', read: () => readSubscriptions(db, userId) },
      { name: 'checkouts', read: () => readCheckouts(db, userId) },
      { name: 'payments', read: () => readPayments(db, userId) },
      { name: 'vouchers', read: () => readVouchers(db, userId) },
    ],

    auditLog: () => readAuditLog(db, userId),
  };

  function openPasskey(row: Awaited<ReturnType<typeof readPasskeys>>[number]) {
    return { ...row, name: openPasskeyName(vault, row.id, row.name) };
  }

  function openAnswer(row: Awaited<ReturnType<typeof readReleaseAnswers>>[number]) {
    const place = { table: 'release_invitations', column: 'reason', rowId: row.id };
    return { ...row, reason: row.reason === null ? null : vault.unseal(place, row.reason) };
  }

  function openDelivery(row: Awaited<ReturnType<typeof readDeliveries>>[number]) {
    return { ...withoutOwner(row), recipientEmail: recipientOf(vault, row) };
  }

  function openText(row: Awaited<ReturnType<typeof readTexts>>[number]) {
    const { id } = row;
    return {
      ...row,
      phone: unsealTextColumn(serviceKeys, { column: 'phone', id }, row.phone),
      message: unsealTextColumn(serviceKeys, { column: 'message', id }, row.message),
    };
  }
}

/** Whose it is, the whole export says. */
function withoutOwner<Row extends { userId: string }>({ userId: _, ...row }: Row): Omit<Row, 'userId'> {
  return row;
}

type GivesOut = Pick<Files, 'giveOut'>;
/** A file as it is exported; `id` tells it from all others while that goes on, and stands in no export. */
export type ExportedFile = {
  id: string;
  facts: { name: string; mimeType: string; sizeBytes: number };
  content: OutgoingFile;
};

function messageOf(vault: Vault, files: GivesOut, row: MessageRow) {
  const { id, title, content, encryptedContent, recipientEmail, category, status } = openMessage(vault, row);
  const { visibleToTrustedContact, deliveredAt, createdAt, updatedAt } = row;
  const words = { id, title, content, encryptedContent, recipientEmail };
  const states = { category, status, visibleToTrustedContact, deliveredAt, createdAt, updatedAt };
  const stored = attachmentOf(vault, row);
  return {
    fields: { ...words, ...states },
    attachment: stored && fileGiven(stored.path, files.giveOut(vault, stored)),
  };
}

function documentOf(vault: Vault, files: GivesOut, row: Awaited<ReturnType<typeof readDocuments>>[number]) {
  const opened = openDocument(vault, row);
  const { id, name, category, description, visibleToTrustedContact, createdAt, updatedAt } = opened;
  const fields = { id, name, category, description, visibleToTrustedContact, createdAt, updatedAt };
  const stored = fileOf(opened);
  return { fields, file: fileGiven(stored.path, files.giveOut(vault, stored)) };
}

function fileGiven(id: string, content: OutgoingFile): ExportedFile {
  const { name, mimeType, sizeBytes } = content;
  return { id, facts: { name, mimeType, sizeBytes }, content };
}
