import { randomUUIDv7 } from 'node:crypto';
import type { z } from 'zod';
import type { Accounts, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Vaults } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { messageBody, messageSchema } from '#shared/contract/messages.ts';
import {
  countReadyMessages,
  countUndelivered,
  deleteMessageRow,
  findForDelivery,
  insertMessage,
  listMessagesOfOwner,
  listReadyMessages,
  lockMessage,
  storeDelivered,
  updateMessageRow,
} from './messages.repository.ts';
import { requireChangeable, requireRoom } from './messages.rules.ts';
import { openRow, openWords, sealWords } from './messages.sealing.ts';

/** What an owner says of a message. */
export type MessageInput = z.output<typeof messageBody>;
/** A message as its owner sees it. */
export type OwnersMessage = z.output<typeof messageSchema>;

export type ReadyMessage = {
  id: string;
  title: string;
  recipientEmail: string;
  visibleToTrustedContact: boolean;
  createdAt: Date;
};

/** Who asks, from where, and for which message. */
type OwnersCall = { principal: Principal; origin: RequestOrigin };
type OwnersMessageCall = OwnersCall & { id: string };

export type Messages = {
  /** Newest first. */
  list(principal: Principal): Promise<OwnersMessage[]>;
  /** @throws AppError `MESSAGE_LIMIT_EXCEEDED`. */
  create(call: OwnersCall, input: MessageInput): Promise<OwnersMessage>;
  /** @throws AppError `NOT_FOUND`, or `CONFLICT` for what is delivered. */
  update(call: OwnersMessageCall, input: MessageInput): Promise<OwnersMessage>;
  /** @throws AppError `NOT_FOUND`. */
  remove(call: OwnersMessageCall): Promise<void>;

  /** What a release would send, oldest first. */
  readyMessages(tx: Executor, userId: string): Promise<ReadyMessage[]>;
  countReady(executor: Executor, userId: string): Promise<number>;
  /** The mail server took the letter. Nobody can change the message from here on. */
  markDelivered(tx: Executor, messageId: string, at: Date): Promise<void>;
  /** @throws AppError `NOT_FOUND`. */
  readForDelivery(executor: Executor, messageId: string): Promise<{ title: string; content: string; createdAt: Date }>;
};

export type MessagesDependencies = {
  db: Database;
  clock: Clock;
  vaults: Pick<Vaults, 'open'>;
  accounts: Pick<Accounts, 'lockOwner' | 'recordActivity' | 'openVault'>;
  audit: Pick<Audit, 'record'>;
};

/**
 * The messages of an owner. A change is a sign of life, recorded in its own transaction: that ends an open release
 * and cancels what waits to be sent, so a change never meets a letter that is still on its way.
 */
export function createMessages({ db, clock, vaults, accounts, audit }: MessagesDependencies): Messages {
  /** Runs a change under the owner's lock, and writes down who made it. */
  function change<Result>(
    { principal, origin }: OwnersCall,
    act: (tx: Executor, at: Date, plan: Principal['plan']) => Promise<{ result: Result; action: string; id: string }>,
  ): Promise<Result> {
    const { userId } = principal;
    return db.transaction(async (tx) => {
      const owner = await accounts.lockOwner(tx, userId);
      if (!owner) throw notFound();

      const at = await clock.now(tx);
      // First, so that a release is ended while the message and its delivery are still there to be taken back.
      await accounts.recordActivity(tx, { userId, type: 'change', at, origin });
      const { result, action, id } = await act(tx, at, owner.plan);
      await audit.record(tx, { userId, action, resource: 'message', resourceId: id, origin, at });
      return result;
    });
  }

  return {
    async list({ userId, vaultKey }) {
      const rows = await listMessagesOfOwner(db, userId);
      const vault = vaults.open(userId, vaultKey);
      return rows.map((row) => openRow(vault, row));
    },

    create: (call, input) =>
      change(call, async (tx, at, plan) => {
        const { userId, vaultKey } = call.principal;
        requireRoom(plan, await countUndelivered(tx, userId));

        const id = randomUUIDv7();
        const sealed = sealWords(vaults.open(userId, vaultKey), id, input);
        await insertMessage(tx, { ...settingsOf(input), ...sealed, id, userId, createdAt: at, updatedAt: at });
        return {
          result: { ...withoutAttachment, ...input, id, createdAt: at, updatedAt: at },
          action: 'message.create',
          id,
        };
      }),

    update: (call, input) =>
      change(call, async (tx, at) => {
        const { principal, id } = call;
        const known = await lockMessage(tx, principal.userId, id);
        if (!known) throw notFound();
        requireChangeable(known.status);

        const vault = vaults.open(principal.userId, principal.vaultKey);
        const sealed = sealWords(vault, id, input);
        await updateMessageRow(tx, id, { ...settingsOf(input), ...sealed, updatedAt: at });
        const result = openRow(vault, { ...known, ...settingsOf(input), ...sealed, updatedAt: at });
        return { result, action: 'message.update', id };
      }),

    remove: (call) =>
      change(call, async (tx) => {
        const status = await deleteMessageRow(tx, call.principal.userId, call.id);
        if (status === null) throw notFound();
        return { result: undefined, action: 'message.delete', id: call.id };
      }),

    async readyMessages(tx, userId) {
      const rows = await listReadyMessages(tx, userId);
      if (rows.length === 0) return [];

      const vault = await accounts.openVault(tx, userId);
      return rows.map((row) => openRow(vault, row));
    },

    countReady: countReadyMessages,
    markDelivered: storeDelivered,

    async readForDelivery(executor, messageId) {
      const row = await findForDelivery(executor, messageId);
      if (!row) throw notFound();

      const vault = await accounts.openVault(executor, row.userId);
      return {
        title: openWords(vault, messageId, 'title', row.title),
        content: openWords(vault, messageId, 'content', row.content),
        createdAt: row.createdAt,
      };
    },
  };
}

/** What is stored in the clear. Named one by one, so that a field added to the input is not stored by accident. */
function settingsOf({ category, status, visibleToTrustedContact }: MessageInput) {
  return { category, status, visibleToTrustedContact };
}

const withoutAttachment = {
  hasAttachment: false,
  attachmentOriginalName: null,
  attachmentSize: null,
  attachmentMimeType: null,
  deliveredAt: null,
};
