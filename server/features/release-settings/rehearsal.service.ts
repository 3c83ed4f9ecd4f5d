import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { HealthKeeper } from '#server/features/release/health.service.ts';
import { findOpenCycle, listInvitations } from '#server/features/release/release.repository.ts';
import { quorumOf } from '#server/features/release/release-answers.rules.ts';
import type { ReleaseDependencies } from '#server/features/release/release-dependencies.ts';
import { answerDaysOf, type ReleaseFacts } from '#server/features/release/release-facts.rules.ts';
import { contactFacts } from '#server/features/release/release-scene.ts';
import { cycleFacts, ownerFacts } from '#server/features/release/release-state.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { getRehearsal, sendRehearsal } from '#shared/contract/rehearsal.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { type RehearsedMail, rehearsalCopy, rehearsedMails } from './rehearsal.mail.ts';
import { rehearsalBudget, roomFor, stepTimes } from './rehearsal.rules.ts';
import { timelineOf } from './release-overview.rules.ts';
import type { createOverview } from './release-overview.service.ts';

export type Rehearsals = {
  /** What a release would be as things stand: dates, people, letters, and every email. Changes nothing. */
  rehearsal(userId: string): Promise<RouteAnswer<typeof getRehearsal>>;
  /**
   * Sends every one of those emails to the owner and to nobody else, marked and with links that do nothing.
   *
   * @throws AppError RATE_LIMITED after three times in a day, CONFLICT where the address takes no mail.
   */
  sendRehearsal(actor: { userId: string; origin: RequestOrigin }): Promise<RouteAnswer<typeof sendRehearsal>>;
};

/** The dress rehearsal: everything is read and written as in a release, and nothing moves. */
export function createRehearsals(
  deps: ReleaseDependencies,
  { health, overview }: { health: Pick<HealthKeeper, 'read'>; overview: ReturnType<typeof createOverview> },
): Rehearsals {
  const { db, clock, accounts, contacts, messages, deliveries, notifications, audit, spendBudget, baseUrl } = deps;

  async function stage(userId: string) {
    const owner = await accounts.ownerOf(db, userId);
    if (!owner) throw notFound();
    const at = await clock.now();
    const people = await contacts.confirmedContacts(db, userId);
    const letters = await messages.readyMessages(db, userId);
    const cycle = await findOpenCycle(db, userId);
    const reading = await health.read(db, at);
    const facts: ReleaseFacts = {
      owner: ownerFacts(owner, deps.answerDaysDefault),
      isInstallationFrozen: false,
      readyMessages: letters.length,
      contacts: people.map((contact) => contactFacts(contact, at, reading)),
      cycle: cycle ? cycleFacts(cycle, await listInvitations(db, cycle.id)) : null,
    };
    const times = stepTimes(timelineOf(facts, { now: at.getTime(), healthyMs: reading.healthyMs }, null));
    const fullName = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
    const mails = rehearsedMails({
      baseUrl,
      owner: {
        firstName: owner.firstName,
        fullName,
        email: owner.email,
        lastActivityAt: owner.lastCheckinAt,
      },
      contacts: people,
      letters,
      readyMessages: letters.length,
      quorum: quorumOf(facts),
      answerDays: answerDaysOf(facts),
      times,
      deliverAt: times.letter === null ? null : new Date(times.letter),
      letterMail: (link) => deliveries.letterMail(owner, link),
    });
    return { owner, at, people, letters, ...roomFor(mails) };
  }

  return {
    async rehearsal(userId) {
      const { people, letters, mails, leftOut } = await stage(userId);
      const { ready, problems, timeline, quorum, isTexted } = await overview(userId);
      const { all } = await messages.count(db, userId);
      return {
        ready,
        problems,
        timeline,
        isTexted,
        quorum: Math.max(1, Math.min(quorum, people.length)),
        contacts: people.map(({ id, name, email }) => ({ id, name, email })),
        letters: letters.map(({ id, title, recipientEmail, visibleToTrustedContact }) => ({
          id,
          title,
          recipientEmail,
          visibleToTrustedContact,
        })),
        otherMessages: all - letters.length,
        mails: mails.map(shown),
        mailsLeftOut: leftOut,
      };
    },

    async sendRehearsal({ userId, origin }) {
      await spendBudget?.(`rehearsal of ${userId}`, rehearsalBudget);
      const { mails, leftOut } = await stage(userId);
      return db.transaction(async (tx) => {
        const owner = await accounts.lockOwner(tx, userId);
        if (!owner) throw notFound();
        if (!owner.emailVerified) {
          throw new AppError('EMAIL_VERIFICATION_REQUIRED', 'Confirm your email address first. We sent you a link.');
        }
        const at = await clock.now(tx);
        const copies = mails.map(rehearsalCopy);
        for (const [index, mail] of copies.entries()) {
          await notifications.enqueue(tx, {
            channel: 'email',
            kind: 'rehearsal.copy',
            userId,
            subjectId: userId,
            dedupeKey: `rehearsal:${userId}:${at.toISOString()}:${index}`,
            at,
            to: { address: owner.email },
            mail,
          });
        }
        // The owner pressed a button here, but said nothing about themselves: a rehearsal stops no release.
        const details = { mails: copies.length };
        const entry = { userId, action: 'release.rehearsed', resource: 'user', resourceId: userId };
        await audit.record(tx, { ...entry, details, origin, at });
        return { sent: copies.length, leftOut, email: owner.email };
      });
    },
  };
}

function shown({ step, at, to, mail }: RehearsedMail) {
  return { step, at, to, subject: mail.subject, text: mail.text };
}
