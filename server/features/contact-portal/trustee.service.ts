import type { Accounts, OwnerRow, Principal } from '#server/features/accounts/accounts.service.ts';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Contacts, TrusteeRole } from '#server/features/contacts/contacts.service.ts';
import type { Messages } from '#server/features/messages/messages.service.ts';
import { findOpenCycle, listInvitations } from '#server/features/release/release.repository.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import { countedConfirmations, requiredConfirmations } from '#server/features/release/release-answers.rules.ts';
import { earlyProspect, waitsUntilMs } from '#server/features/release/release-prospects.rules.ts';
import { contactFacts } from '#server/features/release/release-scene.ts';
import { cycleFacts, dateOf, ownerFacts } from '#server/features/release/release-state.ts';
import type { FreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import type { getTrusteeMessages, listTrusteeRelationships, triggerRelease } from '#shared/contract/trustee.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { triggeredMessage, triggerFromMs, triggerRefusal, trusteeState } from './trustee.rules.ts';

export type TrusteePanelDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'ownerOf'>;
  freshSignIns: Pick<FreshSignIns, 'requireFreshSignIn'>;
  contacts: Pick<Contacts, 'confirmedContacts' | 'trusteeships' | 'trusteeRole'>;
  messages: Pick<Messages, 'count'>;
  releases: Pick<Releases, 'pressTrustee' | 'health'>;
  answerDaysDefault: number;
};

type Trigger = { principal: Principal; ownerUserId: string; origin: RequestOrigin };
type Summary = RouteAnswer<typeof getTrusteeMessages>[number];

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
};

/** What trusted contacts with an account of their own see of an owner, and the release they can ask for. */
export function createTrusteePanels(deps: TrusteePanelDependencies): TrusteePanels {
  const { db, clock, accounts, freshSignIns, contacts, messages, releases, answerDaysDefault } = deps;

  /** The owner, and the contact whom the trustee is. A contact who was removed or switched off is nobody. */
  async function open(userId: string, ownerUserId: string) {
    const role = await contacts.trusteeRole(db, userId, ownerUserId);
    const owner = role && (await accounts.ownerOf(db, ownerUserId));
    if (!role || !owner) throw notFound();
    return { role, owner };
  }

  async function summarise(
    owner: OwnerRow,
    { contactId, since, mailboxProvenAt }: TrusteeRole,
  ): Promise<{ summary: Summary; waitingDays: number }> {
    const now = await clock.now();
    const row = await findOpenCycle(db, owner.id);
    const cycle = row && cycleFacts(row, await listInvitations(db, row.id));
    const confirmed = await contacts.confirmedContacts(db, owner.id);
    const reading = await releases.health(db, now);
    const people = confirmed.map((contact) => contactFacts(contact, now, reading));
    const counted = countedConfirmations({ cycle, contacts: people }, now.getTime());
    const waiting = { owner: ownerFacts(owner, answerDaysDefault), contacts: people, cycle };
    const quorum = requiredConfirmations(waiting);
    const self = people.find(({ id }) => id === contactId);
    if (!self) throw notFound();

    const { all, ready } = await messages.count(db, owner.id);
    const state = trusteeState(cycle, contactId, counted);
    const { healthyMs } = reading;
    const summary: Summary = {
      messageCount: all,
      readyCount: ready,
      release: {
        state,
        quorum,
        // Who has not confirmed is not told how many others have.
        missing: state === 'none' ? quorum : Math.max(0, quorum - counted.length),
        waitsUntil: state === 'waiting_time' ? dateOf(waitsUntilMs(waiting, { now: now.getTime(), healthyMs })) : null,
      },
      triggerFrom: dateOf(triggerFromMs(latestMs(self.confirmedAtMs, since, mailboxProvenAt), now.getTime())),
    };
    const waitingDays = cycle
      ? earlyProspect({ ...waiting, cycle }, now.getTime()).waitingDays
      : owner.releaseWaitingDays;
    return { summary, waitingDays };
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
      const ignored = await releases.pressTrustee({ ownerId: owner.id, contactId: role.contactId, origin });
      if (ignored) throw triggerRefusal(ignored, firstName);

      const { summary, waitingDays } = await summarise(owner, role);
      const { release } = summary;
      const earliest = new Date((await clock.now()).getTime() + waitingDays * dayMs);
      // Until our notice has reached the owner's mailbox the days have not begun.
      const until = release.waitsUntil
        ? longDate(new Date(release.waitsUntil))
        : `${longDate(earliest)} at the earliest`;
      const message = triggeredMessage({ ...release, firstName, waitingDays, until });
      return { ok: true, released: release.state === 'released', message };
    },
  };
}

/** When the last of what makes a trustee came about: their yes, the relationship, and the proof of whose mailbox it is. */
function latestMs(confirmedAtMs: number, ...others: readonly (Date | null)[]): number {
  return Math.max(confirmedAtMs, ...others.map((at) => at?.getTime() ?? 0));
}

function mailboxUnproven(): AppError {
  return new AppError('CONFLICT', 'First show that the mailbox of your account is yours. We send you a link for it.');
}
