import { afterStopDays } from '#server/features/release-core/model.rules.ts';
import { html, isolate, link, type Markup } from '#server/platform/mail/letter.ts';
import { type Mail, ownerMail, type ToOwner } from './release.emails.ts';
import { joinNames, plural } from './release.words.ts';

/* Mails to an owner who is back. */

/**
 * The contact whose early request the owner ended, and the page on which the owner can remove that contact. `isStopped`: by a
 * Stop, after which the contact can't ask for a while.
 */
export type Asker = { name: string; removalUrl: string; isStopped: boolean };

function askerLines(asker: Asker | null | undefined): Markup[] {
  if (!asker) return [];
  const name = isolate(asker.name);
  return [
    asker.isStopped
      ? html`We had been asked to release your messages in the name of ${name}. ${name} cannot ask again for ${plural(afterStopDays, 'day')}.`
      : html`We had been asked to release your messages in the name of ${name}.`,
    html`If you no longer want ${name} as a trusted contact, you can remove them: ${link('open the page that removes them', asker.removalUrl)}.`,
  ];
}

/** `standing`: sentence about a release as it would happen now. */
export function welcomeBackEmail(owner: ToOwner & { standing: Markup; asker?: Asker | null | undefined }): Mail {
  const told =
    owner.contactNames.length > 0
      ? html`Welcome back. Nothing was sent. We have told ${isolate(joinNames(owner.contactNames))} you are here.`
      : html`Welcome back. Nothing was sent.`;
  return ownerMail(owner, {
    subject: 'Welcome back. Nothing was sent',
    paragraphs: [
      told,
      html`There is nothing you need to do. Your time starts again today.`,
      owner.standing,
      ...askerLines(owner.asker),
    ],
    action: { label: 'See your vault', url: `${owner.baseUrl}/` },
  });
}

export type HaltCounts = { cancelled: number; withdrawn: number; opened: number; sent: number; mayArrive: number };

export function ownerHaltedEmail(owner: ToOwner & { counts: HaltCounts; asker?: Asker | null | undefined }): Mail {
  const { cancelled, withdrawn, opened, sent, mayArrive } = owner.counts;
  const [were, links, one] = mayArrive === 1 ? ['was', 'Its link opens', 'it'] : ['were', 'Their links open', 'one'];
  const late =
    mayArrive === 0
      ? []
      : [
          html`${plural(mayArrive, 'letter')} ${were} just being handed over to a mail server and may still arrive. ${links} nothing. We write to any reader who gets ${one}, and to you.`,
        ];
  const stopped =
    mayArrive > 0
      ? html`Welcome back. We have stopped the delivery.`
      : html`Welcome back. Nothing had been sent yet, and now nothing will be.`;
  const lines =
    sent === 0
      ? [stopped]
      : [
          html`Welcome back. When you came back, ${plural(sent, 'letter')} had been sent. ${opened === 0 ? 'None was opened.' : html`Of these, ${plural(opened, 'letter')} had been opened.`}`,
          ...stoppedLines({ cancelled, withdrawn }),
        ];
  return ownerMail(owner, {
    subject: 'Welcome back. We have stopped the delivery',
    paragraphs: [
      ...lines,
      ...late,
      html`Your vault shows which messages were opened, and when.`,
      ...askerLines(owner.asker),
    ],
    action: { label: 'See what was opened', url: `${owner.baseUrl}/` },
  });
}

/** Counts of stopped letters. Zero counts are left out. */
function stoppedLines({ cancelled, withdrawn }: Pick<HaltCounts, 'cancelled' | 'withdrawn'>): Markup[] {
  const kept = cancelled === 0 ? '' : `We have kept back ${plural(cancelled, 'letter')} that had not left.`;
  const [links, work] = withdrawn === 1 ? ['One link', 'works'] : [`${withdrawn} links`, 'work'];
  const closed = withdrawn === 0 ? '' : `${links} that nobody had opened no longer ${work}.`;
  const said = [kept, closed].filter(Boolean).join(' ');
  return said === '' ? [] : [html`${said}`];
}
