import type { z } from 'zod';
import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import { formerPhone } from '#server/features/accounts/former-phone.ts';
import { provenPhone } from '#server/features/accounts/proven-phone.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Contacts } from '#server/features/contacts/contacts.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import {
  emergencyNetworkBudget,
  emergencyPairBudget,
  nothingBegun,
} from '#server/features/release-core/emergency.rules.ts';
import type { Refusal } from '#server/features/release-core/events.rules.ts';
import { ownerClaimEmail } from '#server/features/release-mail/emergency-form.emails.ts';
import { enqueueFormUses, formNotifiedAt, writeFormUses } from '#server/features/release-mail/form-uses.service.ts';
import { formerPhoneKind } from '#server/features/release-mail/release.notify.ts';
import { claimText, formerPhoneText } from '#server/features/release-mail/release.texts.ts';
import type { Claim } from '#server/features/release-state/deed.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { inConstantTime } from '#server/platform/clock/constant-time.ts';
import type { Database } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { emergencyBody } from '#shared/contract/release/emergency.ts';
import { findByMailbox } from '#shared/rules/addresses/mailboxes.ts';

type Budget = { limit: number; windowMs: number };

export type EmergencyDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner' | 'ownersByMailbox'>;
  contacts: Pick<Contacts, 'confirmedContactsOf'>;
  notifications: Pick<Notifications, 'enqueue' | 'writeAtDeparture'>;
  audit: Pick<Audit, 'record'>;
  releases: Pick<Releases, 'requestEmergency'>;
  /** The public address, without a path. */
  baseUrl: string;
  limits: {
    spend(name: string, budget: Budget): Promise<void>;
    spendOfNetwork(name: string, address: string, budget: Budget): Promise<void>;
  };
  /** See `inConstantTime`. */
  answerFloorMs: number;
};

export type Emergencies = {
  /**
   * Somebody says that an owner cannot act. Where the address is that of a confirmed contact, that contact gets a link
   * and the owner is told by every channel; where it is not, nothing happens and nothing is kept. Where it is and nothing can
   * begin, the contact hears why at their own address, and the owner that somebody tried. The caller can't tell.
   *
   * @throws AppError RATE_LIMITED for a network that has had its tries, whatever it asked for.
   */
  request(form: z.output<typeof emergencyBody>, origin: RequestOrigin): Promise<void>;
};

/** The emergency form. It needs no account, so whatever stands in it is only what somebody says. */
export function createEmergencies(deps: EmergencyDependencies): Emergencies {
  const { db, clock, accounts, contacts, notifications, audit, releases, baseUrl, limits } = deps;

  writeFormUses(notifications, baseUrl);

  /** Nothing has begun, but the owner learns of it: immediately, or in the one email about further uses of the day. */
  async function tellOwner(known: OwnerRow, { claim, refused, origin }: Unheard): Promise<void> {
    const why = nothingBegun(refused);
    if (why === null) return;
    await db.transaction(async (tx) => {
      const owner = await accounts.lockOwner(tx, known.id);
      if (!owner) return;
      const at = await clock.now(tx);
      const entry = {
        userId: owner.id,
        action: 'release.emergency_ignored',
        resource: 'account',
        resourceId: owner.id,
      };
      await audit.record(tx, { ...entry, details: { because: refused }, origin, at });
      const notifiedAt = await formNotifiedAt(tx, owner.id, at);
      if (notifiedAt) {
        await enqueueFormUses({ notifications }, tx, { owner, notifiedAt, refused, at, baseUrl });
        return;
      }
      const firstName = owner.firstName ?? '';
      const kind = 'release.owner_claim';
      const cause = { kind, userId: owner.id, subjectId: null, at, policy: 'owner-reminder' as const };
      const dedupeKey = `${kind}:${owner.id}:${at.toISOString()}`;
      const mail = ownerClaimEmail({ firstName, baseUrl, claim, why });
      await notifications.enqueue(tx, { ...cause, channel: 'email', dedupeKey, to: { address: owner.email }, mail });
      const phone = provenPhone(owner);
      if (phone !== null) {
        const text = claimText({ firstName, baseUrl });
        const smsKey = `${dedupeKey}:sms`;
        await notifications.enqueue(tx, { ...cause, channel: 'sms', dedupeKey: smsKey, phone, text });
      }
      const former = formerPhone(owner, at);
      if (former !== null) {
        const told = { ...cause, kind: formerPhoneKind, dedupeKey: `${dedupeKey}:former-sms` };
        const text = formerPhoneText(baseUrl);
        await notifications.enqueue(tx, { ...told, channel: 'sms', phone: former, text });
      }
    });
  }

  /**
   * A pair that has had its tries is answered as one that matches nobody: those count for the network alone, so a refusal
   * would say that the pair is right.
   */
  async function isSpent(pair: string): Promise<boolean> {
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
  async function findPair({ userEmail, contactEmail }: Pair): Promise<{ owner: OwnerRow; contactId: string } | null> {
    const found = await accounts.ownersByMailbox(db, userEmail);
    const owners = found.toSorted((one, other) => Number(other.email === userEmail) - Number(one.email === userEmail));
    const confirmed = await contacts.confirmedContactsOf(
      db,
      owners.map(({ id }) => id),
    );
    for (const owner of owners) {
      const contact = findByMailbox(confirmed.get(owner.id) ?? [], contactEmail);
      if (contact) return { owner, contactId: contact.id };
    }
    return null;
  }

  return {
    request: ({ userEmail, contactEmail, contactName, reason }, origin) =>
      inConstantTime(deps.answerFloorMs, async () => {
        await limits.spendOfNetwork('emergency', origin.ipAddress ?? 'unknown', emergencyNetworkBudget);
        const pair = await findPair({ userEmail, contactEmail });
        // By row: other spellings of the same pair use up the same tries.
        if (!pair || (await isSpent(`emergency of ${pair.owner.id} by ${pair.contactId}`))) return;

        const claim = { name: contactName, reason };
        const { owner, contactId } = pair;
        const refused = await releases.requestEmergency({ ownerId: owner.id, contactId, claim, origin });
        if (refused) await tellOwner(owner, { claim, refused, origin });
      }),
  };
}

type Pair = { userEmail: string; contactEmail: string };
type Unheard = { claim: Claim; refused: Refusal; origin: RequestOrigin };
