import { receiveReturnedMail } from '#server/features/bounces/returned-mail.ts';
import type { Process } from '#tests/simulation/machine.ts';
import type { Random } from '#tests/simulation/random.ts';
import type { WorldTime } from '#tests/simulation/time.ts';
import { failureReport, mailOf } from '#tests/support/failure-reports.ts';
import { whenOf } from './notes.ts';
import type { Owner } from './owners.ts';
import type { Handed, MailKind } from './post.ts';
import type { Reaction } from './reaction.ts';

const dayMs = 86_400_000;
const bounceChance = 0.03;
/** No such mailbox, a policy, and no more patience of another server (RFC 3463). */
const codes = ['5.1.1', '5.1.1', '5.7.1', '5.4.4'] as const;

/** Mails that another server has taken, and gives back minutes or days later (RFC 3464); some of them after it counts. */
export function createReturns({ time, random }: { time: WorldTime; random: Random }) {
  return function returnOf(mail: Handed, owner: Owner): Reaction[] {
    const { returnPath } = mail;
    if (mail.answer !== 'accepted' || !returnPath || !random.chance(bounceChance)) return [];
    const afterMs = Math.round(random.pick([0.01, 0.3, 2, 13, 15]) * dayMs);
    const status = random.pick(codes);
    const run = async ({ app }: Process) => {
      const report = failureReport({ returnPath, address: mail.to, status });
      const receipt = await receiveReturnedMail(app, report);
      if (receipt === 'not_ours') throw new Error('A report of a mail of ours was not known.');
      if (receipt === 'no_change') return;
      mail.bounced = whenOf(time);
      owner.troubled = whenOf(time);
    };
    return [{ name: `a mail to ${mail.to} comes back`, owner, afterMs, run }];
  };
}

const replyChance = 0.5;
const asking: readonly MailKind[] = ['first_reminder', 'last_reminder', 'asked', 'early', 'holding', 'ask'];

/** Reminders and questions that are answered by email, by their reader or a stranger. Nothing may follow for a release. */
export function createReplies(random: Random) {
  return function replyTo(mail: Handed, owner: Owner): Reaction[] {
    const { messageId, answer, kind, to } = mail;
    if (answer !== 'accepted' || !messageId || !asking.includes(kind) || !random.chance(replyChance)) return [];
    const afterMs = random.pick([0, random.below(dayMs), random.below(20 * dayMs)]);
    const lines = [`From: ${random.pick([to, 'mallory@elsewhere.example'])}`, `In-Reply-To: ${messageId}`, '', 'Yes.'];
    const run = async ({ app }: Process) => void (await receiveReturnedMail(app, mailOf(lines)));
    return [{ name: `an email answers a mail to ${to}`, owner, afterMs, run }];
  };
}
