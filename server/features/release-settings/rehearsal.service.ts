import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import { termsAtOpening, termsOf } from '#server/features/release-core/facts.rules.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { getRehearsal, sendRehearsal } from '#shared/contract/release/rehearsal.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { ownDayAt } from '#shared/rules/deliver-on.ts';
import { type LetterMail, ownDayMails, type RehearsedMail, rehearsalCopy, rehearsedMails } from './rehearsal.mail.ts';
import { rehearsalBudget, rehearse, roomFor } from './rehearsal.rules.ts';
import { type createOverview, nowOf } from './release-overview.service.ts';

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
  { releases, overview }: { releases: Pick<Releases, 'look'>; overview: ReturnType<typeof createOverview> },
): Rehearsals {
  const { db, clock, accounts, messages, deliveries, notifications, audit, spendBudget, baseUrl } = deps;

  async function stage(userId: string) {
    const owner = await accounts.ownerOf(db, userId);
    if (!owner) throw notFound();
    const at = await clock.now();
    const situation = await releases.look(db, owner, at);
    const letters = await messages.readyMessages(db, userId);
    const letterMail: LetterMail = (given) => deliveries.letterMail(owner, given);
    const rehearsed = rehearse(situation.world, nowOf(situation, at));
    const release = rehearsed.find(({ step }) => step === 'letter');
    const releasedMs = release?.now.atMs ?? at.getTime();
    const byDay = Map.groupBy(letters, ({ deliverOn }) => ownDayAt(deliverOn, releasedMs));
    const endsPlan = (await deps.renewals?.wouldStop(db, userId)) ?? false;
    const cast = { baseUrl, situation, readers: deliveries.readersOf(byDay.get(null) ?? []), letterMail, endsPlan };
    const days = [...byDay]
      .flatMap(([atMs, ofDay]) => {
        if (atMs === null) return [];
        const isFixed = ofDay.some(({ deliverOn }) => typeof deliverOn === 'string');
        return [{ atMs, isDated: isFixed || release?.isDated === true, readers: deliveries.readersOf(ofDay) }];
      })
      .toSorted((one, other) => one.atMs - other.atMs);
    const onDays = release ? ownDayMails(cast, days) : [];
    return { situation, letters, ...roomFor([...rehearsedMails(cast, rehearsed), ...onDays]) };
  }

  return {
    async rehearsal(userId) {
      const { situation, letters, mails, leftOut } = await stage(userId);
      const { ready, problems, standing, timeline, isTexted } = await overview(userId);
      const { world, contacts } = situation;
      const { all } = await messages.count(db, userId);
      return {
        ready,
        problems,
        standing,
        timeline,
        isTexted,
        quorum: termsAtOpening(termsOf(world), world).needed,
        contacts: contacts.map(({ id, name, email }) => ({ id, name, email })),
        letters: letters.map(({ id, title, recipientEmail, recipients, deliverOn, visibleToTrustedContact }) => ({
          id,
          title,
          recipientEmail,
          recipients,
          deliverOn,
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
