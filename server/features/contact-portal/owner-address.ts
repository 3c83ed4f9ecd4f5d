import { randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import { lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import type { ConfirmedContact } from '#server/features/contacts/confirmed-contacts.ts';
import { listReadyMessages } from '#server/features/messages/letters.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { asksForAddress, newestAsk } from '#server/features/release-core/facts.rules.ts';
import { forecastOf } from '#server/features/release-core/forecast.rules.ts';
import {
  givenAddressContext,
  insertGivenAddress,
  isMailboxGiven,
  isMailboxOfAnyContact,
  listGivenAddresses,
} from '#server/features/release-state/given-addresses.repository.ts';
import { findAsk } from '#server/features/release-state/release.repository.ts';
import type { RequestRow } from '#server/features/release-state/release.rows.ts';
import type { LoadedWorld } from '#server/features/release-state/release.store.ts';
import { readWorld } from '#server/features/release-state/release.store.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { mailboxOf } from '#shared/rules/addresses/mailboxes.ts';
import { otherAddressEmail } from './owner-address.emails.ts';
import { addressesPerRequest, isOfReader, knownPersonOf, takeAddress } from './owner-address.rules.ts';

type Given = { params: { token: string }; body: { address: string }; origin: RequestOrigin };

/** Presses of one contact in one hour. */
const pressBudget = { limit: 20, windowMs: 3_600_000 };

/** A contact with a valid link, in a request that asks for another address of the owner. */
type Scene = { at: Date; owner: OwnerRow; contact: ConfirmedContact; request: RequestRow; situation: LoadedWorld };

/**
 * Stores another address of an owner whom no reminder reached, and writes to it once. Nothing else follows: this mail's
 * acceptance is no step, no wait gets shorter, and the address opens nothing.
 * @throws AppError `NOT_FOUND` for an expired link, `VALIDATION` for the address of another person, or `RATE_LIMITED`.
 * @throws AppError `CONFLICT` if no address is asked for or too many were given.
 */
export async function giveOwnerAddress(
  app: App,
  { params, body: { address }, origin }: Given,
): Promise<{ ok: true; message: string }> {
  const { db, clock, serviceKeys, limits } = app;
  const found = await findAsk(db, serviceKeys.hashToken(params.token));
  if (!found) throw dead();
  const { ask, request } = found;
  await limits.spend(`owner address ${request.id} ${ask.contactId}`, pressBudget);
  return db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, request.userId);
    if (!owner) throw dead();
    const at = await clock.now(tx);
    const situation = await readWorld(app, tx, owner, at);
    const contact = situation.contacts.find(({ id }) => id === ask.contactId);
    const open = situation.world.request ?? situation.world.release?.request;
    const isNewest = open && newestAsk(open, ask.contactId)?.notice === ask.notice;
    if (!contact || situation.rows.request?.id !== request.id || !isNewest) throw dead();
    const name = owner.firstName || owner.email;
    if (!asksForAddress(situation.world)) throw new AppError('CONFLICT', notAsked(name));
    await keep(app, tx, { at, owner, contact, request: situation.rows.request, situation }, { address, origin });
    return { ok: true, message: thanks(name) };
  });
}

async function keep(
  app: App,
  tx: Executor,
  scene: Scene,
  { address, origin }: { address: string; origin: RequestOrigin },
): Promise<void> {
  const { at, owner, contact, request, situation } = scene;
  const name = owner.firstName || owner.email;
  const ready = await listReadyMessages(app, tx, owner.id);
  const contactEmails = situation.contacts.map(({ email }) => email);
  const known = knownPersonOf(address, { ownerEmail: owner.email, contactEmails, messages: ready });
  if (known) throw invalid(known === 'owner' ? owners(name) : others(name));

  const mailboxKey = app.serviceKeys.hashToken(`mailbox of ${owner.id}: ${mailboxOf(address)}`);
  const before = await listGivenAddresses(tx, { requestId: request.id, limit: addressesPerRequest });
  const isKnown = await isMailboxGiven(tx, { userId: owner.id, mailboxKey });
  const decided = takeAddress({ contactId: contact.id, mailboxKey }, { before, isKnown });
  if ('refused' in decided) throw new AppError('CONFLICT', refusals[decided.refused]);
  if (decided.step === 'nothing') return;

  const id = randomUUID();
  const vault = await openVault(app, tx, owner.id);
  const sealed = vault.seal(givenAddressContext(id), address);
  const row = { id, userId: owner.id, requestId: request.id, contactId: contact.id, mailboxKey, createdAt: at };
  await insertGivenAddress(tx, { ...row, address: sealed });
  await recordAudit(app, tx, {
    userId: owner.id,
    action: 'release.other_address_given',
    resource: 'release_request',
    resourceId: request.id,
    details: { contactId: contact.id },
    origin,
    at,
  });
  // A refusal would tell the contact who the readers of unseen letters are. So the address is kept, and no mail goes there.
  const isOfAnother = isOfReader(address, ready) || (await isMailboxOfAnyContact(tx, { userId: owner.id, address }));
  if (!isOfAnother) await write(app, tx, scene, { id, address });
}

async function write(
  app: App,
  tx: Executor,
  { at, owner, contact, request, situation }: Scene,
  { id, address }: { id: string; address: string },
): Promise<void> {
  const { world, reading } = situation;
  const releasedMs = world.owner.method === 'inactivity' ? forecastOf(world, reading.mark)('released') : null;
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'release.other-address',
    userId: owner.id,
    subjectId: request.id,
    dedupeKey: `other-address:${id}`,
    at,
    to: { address },
    mail: otherAddressEmail({
      owner,
      contactName: contact.name,
      silentSince: owner.lastCheckinAt,
      deliverAt: releasedMs === null ? null : { notBeforeMs: releasedMs, daysAfterSending: 0 },
      isBySilence: world.owner.method === 'inactivity',
      baseUrl: app.baseUrl,
    }),
  });
}

const thanks = (name: string) =>
  `Thank you. We send one email there, unless the address is of a person whom ${name} wrote to or named as a contact.`;
const notAsked = (name: string) => `We do not need another address of ${name} any more. Thank you.`;
const owners = (name: string) =>
  `We already write to this address of ${name}, and it does not reach them. Please give another one.`;
const others = (name: string) =>
  `This is the address of another person whom ${name} named. Please give an address of ${name}.`;
const refusals = {
  given: 'You have already given us an address. Each contact can give one.',
  enough: `Other contacts have already given us ${addressesPerRequest} addresses. We do not need more. Thank you.`,
  known: 'A contact has given us this address before, and we write to an address only once. Please give another one.',
} as const;

function invalid(message: string): AppError {
  return new AppError('VALIDATION', message, { issues: [{ path: 'address', message }] });
}

function dead(): AppError {
  return notFound('Invalid or expired access token');
}
