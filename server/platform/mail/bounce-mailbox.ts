import { ImapFlow } from 'imapflow';
import { insecureAllowed } from '#server/platform/loopback.ts';
import { reportBytesMax } from './report-limits.ts';

/** How far a mailbox was read: numbers of mails hold for one `uidValidity` (RFC 3501, section 2.3.1.1). */
export type MailboxPlace = { uidValidity: string; uid: number };

export type MailboxRound = {
  /** Where the last round ended; null reads what came since `since`. */
  after: MailboxPlace | null;
  since: Date;
  /** Given each newer mail, oldest first, up to 64 KiB of it. Says whether it was meant for us: then it is marked as read. */
  onMail(raw: Uint8Array): Promise<boolean>;
  /** Every mail up to this place has been looked at. */
  onPlace(place: MailboxPlace): Promise<void>;
};

const connectMs = 15_000;
const silenceMs = 60_000;
const mailsPerRound = 500;

/**
 * Reads the newer mails of a mailbox (`imaps://user:password@host/folder`; without a folder, the inbox). Nothing is moved or
 * deleted, and what is not for us stays unread. @throws what the library throws where the mailbox cannot be read.
 */
export async function readBounceMailbox(url: string, round: MailboxRound): Promise<void> {
  const { client, folder } = open(url);
  await client.connect();
  try {
    const { uidValidity: validity } = await client.mailboxOpen(folder);
    const uidValidity = String(validity);
    for (const uid of (await newerMails(client, uidValidity, round)).slice(0, mailsPerRound)) {
      const mail = await client.fetchOne(String(uid), { source: { maxLength: reportBytesMax } }, { uid: true });
      const isOurs = mail?.source ? await round.onMail(mail.source) : false;
      if (isOurs) await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true });
      await round.onPlace({ uidValidity, uid });
    }
  } finally {
    client.close();
  }
}

/** Signs in, opens the folder and leaves. Throws where that does not work. */
export async function checkBounceMailbox(url: string): Promise<void> {
  const { client, folder } = open(url);
  await client.connect();
  try {
    await client.mailboxOpen(folder, { readOnly: true });
  } finally {
    client.close();
  }
}

/** The numbers of the mails behind the place, oldest first. */
async function newerMails(
  client: ImapFlow,
  uidValidity: string,
  { after, since }: Pick<MailboxRound, 'after' | 'since'>,
): Promise<number[]> {
  const known = after?.uidValidity === uidValidity ? after.uid : null;
  const query = known === null ? { since } : { uid: `${known + 1}:*` };
  const found = (await client.search(query, { uid: true })) || [];
  // A range that ends with * always holds the last mail there is.
  return found.filter((uid) => known === null || uid > known).sort((one, other) => one - other);
}

function open(text: string): { client: ImapFlow; folder: string } {
  const url = new URL(insecureAllowed(text).address);
  const isSecure = url.protocol === 'imaps:';
  const client = new ImapFlow({
    host: url.hostname,
    port: Number(url.port) || (isSecure ? 993 : 143),
    secure: isSecure,
    auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    logger: false,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
  });
  // A connection that breaks between two commands reports here; the next command fails.
  client.on('error', () => {});
  return { client, folder: decodeURIComponent(url.pathname.slice(1)) || 'INBOX' };
}
