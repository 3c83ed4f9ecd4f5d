import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Contacts } from '#server/features/contacts/contacts.service.ts';
import type { Messages } from '#server/features/messages/messages.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { AddressSource } from '#shared/rules/deliveries.ts';
import type { Mail, Sender } from './delivery.emails.ts';
import type { DeliveryRow } from './delivery.repository.ts';

/** What delivery needs of the rest. */
export type DeliveryDependencies = {
  db: Database;
  clock: Clock;
  /** The public address of this installation, without a path. */
  baseUrl: string;
  keys: Pick<ServiceKeys, 'derive' | 'hashToken'>;
  accounts: Pick<Accounts, 'lockOwner' | 'ownerOf' | 'openVault'>;
  messages: Pick<
    Messages,
    | 'damagedAmong'
    | 'settleFates'
    | 'readForDelivery'
    | 'titlesForDelivery'
    | 'attachmentForDelivery'
    | 'enclosureForDelivery'
  >;
  contacts: Pick<Contacts, 'confirmedContacts'>;
  notifications: Pick<
    Notifications,
    | 'enqueue'
    | 'enqueueAll'
    | 'cancelFor'
    | 'cancelTaken'
    | 'cancelAllBut'
    | 'takeBackUntried'
    | 'leavingFor'
    | 'isWaiting'
    | 'isHeard'
    | 'onOutcomes'
    | 'onRefused'
    | 'onBounce'
    | 'holdWhileFrozen'
    | 'letGo'
  >;
  audit: Pick<Audit, 'record' | 'recordAll'>;
  /** Wall time less outages, in milliseconds: what is counted so far, and the most there can have been at `at`. */
  healthyTime(executor: Executor, at: Date): Promise<{ countedMs: number; atMostMs: number }>;
  /** Who is told of what nobody else can be told; null where no operator is named. */
  adminEmail: string | null;
  /** How many letters on their way are taken back one by one before whoever stops them is answered; fewer in tests. */
  writtenBeforeAnswerMax?: number;
  log: { error(details: object, message: string): void };
};

/** Kinds of mail, as the notifications know them. Those that bring somebody letters have `mail_id` of these as subject. */
export const mailKinds = {
  letter: 'delivery.letter',
  reminder: 'delivery.reminder',
  renewal: 'delivery.renewal',
  returned: 'delivery.returned',
  unreachable: 'delivery.unreachable',
  neverOpened: 'delivery.never-opened',
  ownerUnreachable: 'delivery.owner-unreachable',
  arrivedLate: 'delivery.arrived-late',
  nobodyToAsk: 'operator.nobody-to-ask',
  heldBack: 'delivery.held-back',
} as const;

/** What brings somebody a letter, or its link once more: none of it leaves while it is frozen. */
export const kindsToRecipients = [mailKinds.letter, mailKinds.reminder, mailKinds.renewal] as const;

/** What tells contacts about letters of a release, which is the subject. Whoever read one has heard of the release. */
export const kindsToContacts = [
  mailKinds.unreachable,
  mailKinds.neverOpened,
  mailKinds.heldBack,
  mailKinds.arrivedLate,
] as const;

/** Those of them that say nothing any more once the release is over: there is no page behind their links. */
export const kindsWhileOpen = [mailKinds.unreachable, mailKinds.neverOpened, mailKinds.heldBack] as const;

/** One contact in one release. */
export type LinkOfContact = { requestId: string; contactId: string };

export type AboutRelease = { requestId: string; owner: OwnerRow; at: Date };
/** Somebody whom letters are for. */
export type Person = { address: string; name: string | null };
/** A mail with the link of somebody's letters. */
export type ToReader = {
  /** The mail that brings these letters, or brought them first. */
  mailId: string;
  personKey: string;
  reader: Person;
  addressFrom: AddressSource;
  /** Of the first of them in the writer's order. */
  token: string;
  letters: number;
  owner: OwnerRow;
  at: Date;
};
/** `seed` tells it from all other mails to this person, and is the same when it is written again. */
export type ThisMail = { kind: string; key: string; seed: string; patient: boolean; mail: Mail };
export type ConfirmedContact = Awaited<ReturnType<Contacts['confirmedContacts']>>[number];

/** How a mail and the page name the writer. An owner without a name is named by the address recipients know. */
export function senderOf(owner: Pick<OwnerRow, 'firstName' | 'lastName' | 'email'>): Sender {
  const name = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
  return { name, firstName: owner.firstName || name };
}

type SealedReader = Pick<DeliveryRow, 'id' | 'recipientEmail' | 'recipientName'>;

/** Address and name as they are stored with a delivery. */
export function sealReader(vault: Vault, id: string, { address, name }: Person): Omit<SealedReader, 'id'> {
  return {
    recipientEmail: vault.seal(place(id, 'recipient_email'), address),
    recipientName: vault.seal(place(id, 'recipient_name'), name ?? ''),
  };
}

export function recipientOf(vault: Vault, { id, recipientEmail }: Pick<SealedReader, 'id' | 'recipientEmail'>): string {
  return vault.unseal(place(id, 'recipient_email'), recipientEmail);
}

export function readerOf(vault: Vault, delivery: SealedReader): Person {
  const name = vault.unseal(place(delivery.id, 'recipient_name'), delivery.recipientName);
  return { address: recipientOf(vault, delivery), name: name || null };
}

function place(rowId: string, column: 'recipient_email' | 'recipient_name') {
  return { table: 'message_deliveries', column, rowId };
}

export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
