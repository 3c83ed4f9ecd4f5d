import type { Accounts, OwnerRow, Principal } from '#server/features/accounts/accounts.service.ts';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Contacts, TrusteeRole } from '#server/features/contacts/contacts.service.ts';
import type { Messages } from '#server/features/messages/messages.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import { canPressAgainMs } from '#server/features/release-core/emergency.rules.ts';
import { isAway, waitEndsAtMs } from '#server/features/release-core/facts.rules.ts';
import { daysOfWait, missingOf } from '#server/features/release-core/forecast.rules.ts';
import type { Mark, World } from '#server/features/release-core/model.rules.ts';
import { dateOf } from '#server/features/release-state/release.rows.ts';
import type { FreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type {
  getTrusteeMessages,
  listTrusteeRelationships,
  triggerRelease,
  withdrawConfirmation,
} from '#shared/contract/release/trustee.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import {
  canWithdraw,
  neededOf,
  type TrusteeState,
  triggeredMessage,
  triggerFromMs,
  triggerRefusal,
  trusteeState,
  withdrawalRefusal,
  withdrawnMessage,
} from './trustee.rules.ts';

export type TrusteePanelDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'ownerOf'>;
  freshSignIns: Pick<FreshSignIns, 'requireFreshSignIn'>;
  contacts: Pick<Contacts, 'trusteeships' | 'trusteeRole'>;
  messages: Pick<Messages, 'count'>;
  releases: Pick<Releases, 'pressTrustee' | 'withdrawTrustee' | 'look'>;
};

type Trigger = { principal: Principal; ownerUserId: string; origin: RequestOrigin };
type Summary = RouteAnswer<typeof getTrusteeMessages>[number];
type Summarised = { summary: Summary; world: World; now: Mark };

export type TrusteePanels = {
  /** Changes nothing, and is no sign of life. */
  relationships(userId: string): Promise<RouteAnswer<typeof listTrusteeRelationships>>;
  /** Counts, never a title. Changes nothing. @throws AppError NOT_FOUND for whoever is not this owner's trustee now. */
  summary(userId: string, ownerUserId: string): Promise<Summary>;
  /**
   * Counts as the confirmation of the contact whom the trustee is.
   *
   * @throws AppError NOT_FOUND for whoever is not this owner's trustee now, REAUTHENTICATION_REQUIRED, or CONFLICT
   * where nothing can come of it.
   */
  trigger(trigger: Trigger): Promise<RouteAnswer<typeof triggerRelease>>;
  /** Withdraws the trustee's yes. @throws AppError NOT_FOUND as above, CONFLICT if a letter has left or there is no yes. */
  withdraw(trigger: Trigger): Promise<RouteAnswer<typeof withdrawConfirmation>>;
};

/** What trusted contacts with an account of their own see of an owner, and the release they can ask for. */
export function createTrusteePanels(deps: TrusteePanelDependencies): TrusteePanels {
  const { db, clock, accounts, freshSignIns, contacts, messages, releases } = deps;

  /** The owner, and the contact whom the trustee is. A contact who was removed or switched off is nobody. */
  async function open(userId: string, ownerUserId: string) {
    const role = await contacts.trusteeRole(db, userId, ownerUserId);
    const owner = role && (await accounts.ownerOf(db, ownerUserId));
    if (!role || !owner) throw notFound();
    return { role, owner };
  }

  async function summarise(owner: OwnerRow, { contactId, since, mailboxProvenAt }: TrusteeRole): Promise<Summarised> {
    const at = await clock.now();
    const { world, reading } = await releases.look(db, owner, at);
    const now = { atMs: at.getTime(), healthyMs: reading.healthyMs };
    const self = world.contacts.find(({ id }) => id === contactId);
    if (!self) throw notFound();

    const { all, ready } = await messages.count(db, owner.id);
    const state = trusteeState(world, contactId);
    const ofAccount = [since, mailboxProvenAt].flatMap((each) => (each ? [each.getTime()] : []));
    const summary: Summary = {
      messageCount: all,
      readyCount: ready,
      release: {
        state,
        quorum: neededOf(world),
        missing: missingFor(world, state),
        waitsUntil: state === 'waiting_time' ? dateOf(waitEndsAtMs(world, now)) : null,
        canWithdraw: canWithdraw(world, contactId, now),
      },
      triggerFrom: dateOf(triggerFromMs(world, { contact: self, accountMs: ofAccount }, now)),
      awayUntil: isAway(world, now) ? dateOf(world.owner.awayUntilMs) : null,
    };
    return { summary, world, now };
  }

  return {
    async relationships(userId) {
      const rows = await contacts.trusteeships(db, userId);
      return rows.map(({ ownerFirstName, ownerLastName, ownerEmail, relationship, ...row }) => ({
        ...row,
        ownerEmail: row.isActive && !ownerFirstName && !ownerLastName ? ownerEmail : '',
        ownerFirstName: ownerFirstName ?? '',
        ownerLastName: ownerLastName ?? '',
        trustedContactRelationship: relationship,
      }));
    },

    async summary(userId, ownerUserId) {
      const { owner, role } = await open(userId, ownerUserId);
      return (await summarise(owner, role)).summary;
    },

    async trigger({ principal, ownerUserId, origin }) {
      const { owner, role } = await open(principal.userId, ownerUserId);
      await freshSignIns.requireFreshSignIn(principal);
      if (!role.mailboxProvenAt) throw mailboxUnproven();
      const firstName = owner.firstName || owner.email;
      // The contact's own days are counted by the release itself; those of the account that speaks for them, here.
      const before = await summarise(owner, role);
      if (before.summary.triggerFrom) throw triggerRefusal('contact_too_new', firstName);
      const refused = await releases.pressTrustee({ ownerId: owner.id, contactId: role.contactId, origin });
      if (refused) {
        const againMs = canPressAgainMs(before.world, role.contactId, before.now);
        throw triggerRefusal(refused, firstName, againMs === null ? null : longDate(new Date(againMs)));
      }

      const { summary, world, now } = await summarise(owner, role);
      const { release } = summary;
      const waitingDays = world.request ? daysOfWait(world, world.request, now) : 0;
      // Until our notice has reached the owner's mailbox the days have not begun.
      const until = release.waitsUntil
        ? longDate(new Date(release.waitsUntil))
        : `${longDate(new Date(now.atMs + waitingDays * dayMs))} at the earliest`;
      const message = triggeredMessage({ ...release, firstName, waitingDays, until });
      return { ok: true, released: release.state === 'released', message };
    },

    async withdraw({ principal, ownerUserId, origin }) {
      const { owner, role } = await open(principal.userId, ownerUserId);
      const { contactId } = role;
      const refused = await releases.withdrawTrustee({ ownerId: owner.id, contactId, origin });
      if (refused) throw withdrawalRefusal(refused);
      return { ok: true, message: withdrawnMessage };
    },
  };
}

/** Contacts who must still confirm. Who has not confirmed is not told how many others have. */
function missingFor(world: World, state: TrusteeState): number {
  if (state === 'none') return neededOf(world);
  const request = world.request ?? world.release?.request;
  return request && state !== 'released' ? missingOf(world, request) : 0;
}

function mailboxUnproven(): AppError {
  return new AppError('CONFLICT', 'First show that the mailbox of your account is yours. We send you a link for it.');
}
