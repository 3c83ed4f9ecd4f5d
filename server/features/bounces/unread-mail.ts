import type { App } from '#server/app.ts';
import { enqueueToOperator } from '#server/features/notifications/enqueue.ts';
import { html, letter } from '#server/platform/mail/letter.ts';
import type { Markup } from '#server/platform/mail/markup.ts';
import { productName, productSlug } from '#shared/product.ts';

export type OperatorMail = { subject: string; html: string; text: string };

/** `unread`: the mail server did not give it, or recording it failed. `too_costly`: reading it exceeded a limit. `uid` is null after `everkept bounce`. */
export type UnreadMail = { why: 'unread' | 'too_costly'; uid: number } | { why: 'too_costly'; uid: null };

const command = `${productSlug} bounce`;

/** Names the mail by its number, since its content could not be read. */
export function unreadMailEmail(unread: UnreadMail, baseUrl: string): OperatorMail {
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: paragraphsOf(unread),
    reason: `You get this because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: one email that came back could not be read`, ...parts };
}

function paragraphsOf({ why, uid }: UnreadMail): Markup[] {
  const number = String(uid);
  if (why === 'unread') {
    return [
      html`One email in the mailbox of BOUNCE_MAILBOX could not be read in three rounds. Its number there is ${number} (UID). We leave it out from now on, and read all others.`,
      html`If it reports that an email of ours failed, that failure is not recorded yet. Open the mailbox, save this email, and hand it to ${command}.`,
    ];
  }
  const cause = 'It names an email of ours, and needs more time or memory to read than a report may have.';
  const again = html`If it reports that an email of ours failed, that failure is not recorded. Read the email yourself. If this machine was very busy, save the email and hand it to ${command} again.`;
  if (uid === null)
    return [html`One email that was handed to ${command} could not be read. ${cause} It changed nothing.`, again];
  return [
    html`One email in the mailbox of BOUNCE_MAILBOX could not be read. Its number there is ${number} (UID). ${cause} It changed nothing. We leave it out from now on, and read all others.`,
    again,
  ];
}

/** Writes one email to the operator about each mail, named by `key`, if an operator is set. */
export async function tellOfUnreadMail(app: App, unread: UnreadMail, key: string): Promise<void> {
  await enqueueToOperator(app, app.db, {
    kind: 'operator.unread-mail',
    dedupeKey: `unread-mail:${key}`,
    at: await app.clock.now(),
    mail: unreadMailEmail(unread, app.baseUrl),
  });
}
