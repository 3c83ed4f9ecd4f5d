import { html, letter, type Markup } from '#server/platform/mail/letter.ts';
import { productName, productSlug } from '#shared/product.ts';
import type { Trouble } from '#shared/rules/troubles.ts';

const momentFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
/** An operator compares it with logs, which are in UTC. */
const moment = (at: Date) => `${momentFormat.format(at)} UTC`;

type About = { trouble: Trouble; since: Date; isRelapse: boolean; baseUrl: string };
type Mail = { subject: string; html: string; text: string };

/** Tells the operator that a part of the service has stopped, and what to look at. */
export function alarmEmail({ trouble, since, isRelapse, baseUrl, reason }: About & { reason: string | null }): Mail {
  const subjects = {
    worker: `${productName}: the worker has stopped`,
    site: `${productName}: the site does not answer`,
    clock: `${productName}: the clock was ahead, and nothing moves forward`,
    bounces: `${productName}: the mailbox in which mails come back cannot be read`,
    backups: `${productName}: backups fail`,
  };
  const goesOn = isRelapse
    ? html`This has come back within a day. You get an email like this once a day, and another one when all has been well for a whole day.`
    : html`While this lasts, you get an email like this once a day, and one when it is over.`;
  return operatorEmail(subjects[trouble], baseUrl, [...words[trouble]({ since, baseUrl, reason }), goesOn]);
}

/** Tells the operator that it is over. */
export function allClearEmail({ trouble, since, isRelapse, baseUrl, wellSince }: About & { wellSince: Date }): Mail {
  const subjects = {
    worker: `${productName}: the worker runs again`,
    site: `${productName}: the site answers again`,
    clock: `${productName}: the clock is right again`,
    bounces: `${productName}: the mailbox in which mails come back is read again`,
    backups: `${productName}: backups succeed again`,
  };
  const sentences = {
    worker: html`A worker has been running again since ${moment(wellSince)}. None had reported since ${moment(since)}.`,
    site: html`Your site at ${baseUrl} has answered again since ${moment(wellSince)}. It had not answered since ${moment(since)}.`,
    clock: html`Reminders and releases have continued since ${moment(wellSince)}. They had been paused since ${moment(since)}.`,
    bounces: html`The mailbox in which mails come back has been read again since ${moment(wellSince)}. It could not be read since ${moment(since)}. Mails that came in the meantime count now.`,
    backups: html`Backups have succeeded again since ${moment(wellSince)}. They had failed since ${moment(since)}.`,
  };
  const settled = isRelapse ? [html`The trouble had come and gone before. All has been well for a whole day now.`] : [];
  const isStandstill = trouble !== 'bounces' && trouble !== 'backups';
  return operatorEmail(subjects[trouble], baseUrl, [
    sentences[trouble],
    ...settled,
    isStandstill
      ? html`The time between does not count for people who have to answer. Waiting emails are sent now, and there is nothing more to do.`
      : html`There is nothing more to do.`,
  ]);
}

type Facts = { since: Date; baseUrl: string; reason: string | null };

const words: Record<Trouble, (facts: Facts) => Markup[]> = {
  worker: ({ since }) => [
    html`No worker of your installation has reported since ${moment(since)}. Until one runs, no email and no text is sent: no reminder, no question to a contact, no letter. The time without one does not count for people who have to answer.`,
    html`Check that the process with ROLE=worker (or ROLE=all) runs, and read its log. Then run ${`${productSlug} doctor`}. Once it runs, it continues where it stopped.`,
  ],
  site: ({ since, baseUrl, reason }) => [
    html`The worker asks your site at ${baseUrl} once a minute. It has had no answer since ${moment(since)}${reason === null ? '' : ` (${reason})`}. People cannot sign in, check in or open their letters there. This time does not count for people who have to answer, so releases are paused until the site answers.`,
    html`Check the process of the site, the proxy in front of it, its certificate and the name in the DNS. If people reach the site and only the worker does not, give the worker’s machine a route to this address.`,
  ],
  bounces: ({ since, reason }) => [
    html`Mails that other mail servers return to us arrive in the mailbox of BOUNCE_MAILBOX. It could not be read since ${moment(since)}${reason === null ? '' : ` (${reason})`}. Until it can, letters and reminders that came back still count as delivered.`,
    html`Check the name, the password and the folder in BOUNCE_MAILBOX, and that its mail server answers. Then run ${`${productSlug} doctor`}.`,
  ],
  backups: ({ since, reason }) => [
    html`A backup is made every night to the place that BACKUP_TO names, and the newest is read back once a month. This has failed since ${moment(since)}${reason === null ? '' : ` (${reason})`}. Everything works without a backup, but data that is lost now cannot be restored.`,
    html`Check that the place exists, has free space and grants us access, and that the keys of the backup are here. Then run ${`${productSlug} doctor`}. It is tried again every hour.`,
  ],
  clock: ({ since, reason }) => [
    html`The clock of your installation is behind a time that it has shown before. It was ahead then, or it is wrong now. No reminder, no question to a contact and no letter goes out before ${reason === null ? 'that time' : moment(new Date(reason))}. We noticed on ${moment(since)}.`,
    html`Find out which clock was wrong: that of the database or of another machine. If the present time is right, run ${`${productSlug} clock accept`}. Releases then continue, and no time to answer becomes shorter.`,
  ],
};

function operatorEmail(subject: string, baseUrl: string, paragraphs: Markup[]): Mail {
  const reason = `You get this because you look after this installation of ${productName}.`;
  return { subject, ...letter({ greeting: 'Hello,', paragraphs, reason, baseUrl }) };
}
