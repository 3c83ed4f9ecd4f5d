import type { App } from '#server/app.ts';
import { findOwnersByMailbox, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { formerPhone } from '#server/features/accounts/former-phone.ts';
import { provenPhone } from '#server/features/accounts/proven-phone.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { confirmedContactsOf } from '#server/features/contacts/confirmed-contacts.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { requestEmergency } from '#server/features/release/release-decisions.ts';
import {
  emergencyNetworkBudget,
  emergencyPairBudget,
  nothingBegun,
} from '#server/features/release-core/emergency.rules.ts';
import type { Refusal } from '#server/features/release-core/events.rules.ts';
import { ownerClaimEmail } from '#server/features/release-mail/emergency-form.emails.ts';
import { enqueueFormUses, formNotifiedAt } from '#server/features/release-mail/form-uses.ts';
import { claimText, formerPhoneText } from '#server/features/release-mail/release.texts.ts';
import type { Claim } from '#server/features/release-state/command-context.ts';
import type { Call } from '#server/http/bind.ts';
import { inConstantTime } from '#server/platform/clock/constant-time.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/release/emergency.ts';
import { findByMailbox } from '#shared/rules/addresses/mailboxes.ts';

type Pair = { userEmail: string; contactEmail: string };
type Unheard = { claim: Claim; refused: Refusal; why: string; origin: RequestOrigin };

/** The answer is the same if the two addresses belong together and if they do not. */
const submitted =
  'If these details match a registered trusted contact, that contact now gets an email: with a link, or with the reason why nothing can begin yet. The account holder is told.';

/**
 * Handles a claim that an owner can't act. The form needs no account, so its contents are unproven. If the address belongs to a
 * confirmed contact, that contact gets a link, and the owner is notified by every channel. If not, nothing happens and nothing
 * is kept. If it matches but nothing can begin, the contact gets the reason at their own address, and the owner is notified of
 * the try. The caller can't see the difference.
 * @throws AppError `RATE_LIMITED` for a network that has used its tries, for any address.
 */
export async function activateEmergency(app: App, { body, origin }: Call<typeof contract.activateEmergency>) {
  const { userEmail, contactEmail, contactName, reason } = body;
  await inConstantTime(app.answerFloorMs, async () => {
    await app.limits.spendOfNetwork('emergency', origin.ipAddress ?? 'unknown', emergencyNetworkBudget);
    const pair = await findPair(app, { userEmail, contactEmail });
    // By row: other spellings of the same pair use up the same tries.
    if (!pair || (await isSpent(app, `emergency of ${pair.owner.id} by ${pair.contactId}`))) return;

    const claim = { name: contactName, reason };
    const { owner, contactId } = pair;
    const refused = await requestEmergency(app, { ownerId: owner.id, contactId, claim, origin });
    const why = refused && nothingBegun(refused);
    if (refused && why) await tellOwner(app, owner.id, { claim, refused, why, origin });
  });
  return { message: submitted };
}

/** Notifies the owner of a try without effect: immediately, or in the one email about further uses of the day. */
async function tellOwner(app: App, ownerId: string, { claim, refused, why, origin }: Unheard): Promise<void> {
  const { db, clock } = app;
  await db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, ownerId);
    if (!owner) return;
    const at = await clock.now(tx);
    const entry = { userId: owner.id, action: 'release.emergency_ignored', resource: 'account', resourceId: owner.id };
    await recordAudit(app, tx, { ...entry, details: { because: refused }, origin, at });
    const notifiedAt = await formNotifiedAt(tx, owner.id, at);
    if (notifiedAt) {
      await enqueueFormUses(app, tx, { owner, notifiedAt, refused, at });
      return;
    }
    await enqueueClaim(app, tx, { owner, claim, why, at });
  });
}

async function enqueueClaim(
  app: App,
  tx: Executor,
  { owner, claim, why, at }: { owner: OwnerRow; claim: Claim; why: string; at: Date },
): Promise<void> {
  const { baseUrl } = app;
  const firstName = owner.firstName ?? '';
  const kind = 'release.owner_claim';
  const cause = { kind, userId: owner.id, subjectId: null, at } as const;
  const dedupeKey = `${kind}:${owner.id}:${at.toISOString()}`;
  const mail = ownerClaimEmail({ firstName, baseUrl, claim, why });
  await enqueueNotification(app, tx, { ...cause, channel: 'email', dedupeKey, to: { address: owner.email }, mail });
  const phone = provenPhone(owner);
  if (phone !== null) {
    const text = claimText({ firstName, baseUrl });
    await enqueueNotification(app, tx, { ...cause, channel: 'sms', dedupeKey: `${dedupeKey}:sms`, phone, text });
  }
  const former = formerPhone(owner, at);
  if (former !== null) {
    const told = { ...cause, kind: 'release.former_phone', dedupeKey: `${dedupeKey}:former-sms` } as const;
    const text = formerPhoneText(baseUrl);
    await enqueueNotification(app, tx, { ...told, channel: 'sms', phone: former, text });
  }
}

/**
 * True if the pair has used its tries. It then gets the answer of an unknown pair, since unknown pairs count for the network
 * alone, and a refusal would reveal a matching pair.
 */
async function isSpent({ limits }: App, pair: string): Promise<boolean> {
  try {
    await limits.spend(pair, emergencyPairBudget);
    return false;
  } catch (error) {
    if (error instanceof AppError && error.type === 'RATE_LIMITED') return true;
    throw error;
  }
}

/**
 * Finds the owner and the contact by their mailboxes, so that another spelling works too: the link goes to the address the
 * owner gave. Names do not count, because an owner may have written "Mum". An exact spelling comes first.
 */
async function findPair(
  app: App,
  { userEmail, contactEmail }: Pair,
): Promise<{ owner: OwnerRow; contactId: string } | null> {
  const found = await findOwnersByMailbox(app.db, userEmail);
  const owners = found.toSorted((one, other) => Number(other.email === userEmail) - Number(one.email === userEmail));
  const confirmed = await confirmedContactsOf(
    app,
    app.db,
    owners.map(({ id }) => id),
  );
  for (const owner of owners) {
    const contact = findByMailbox(confirmed.get(owner.id) ?? [], contactEmail);
    if (contact) return { owner, contactId: contact.id };
  }
  return null;
}
