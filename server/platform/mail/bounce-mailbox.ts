import { ImapFlow } from 'imapflow';
import { insecureAllowed } from '#server/platform/loopback.ts';
import { AppError } from '#shared/contract/errors.ts';
import { reportBytesMax } from './report-limits.ts';

/** A mail that could not be read, and in how many rounds. */
export type UnreadMail = { uid: number; rounds: number };

/** Reading position in a mailbox. Mail numbers hold for one `uidValidity` (RFC 3501, section 2.3.1.1). */
export type MailboxPlace = { uidValidity: string; uid: number; unread: UnreadMail[] };

/** Number of a mail, which holds for one `uidValidity`. */
export type MailNumber = { uidValidity: string; uid: number };

export type MailboxRound = {
  /** End of the last round; null reads mails since `since`. */
  after: MailboxPlace | null;
  since: Date;
  /** Given each newer mail, oldest first, up to `reportBytesMax` of it. Returns true if it was meant for us: then it is marked as read. */
  onMail(raw: Uint8Array, mail: MailNumber): Promise<boolean>;
  /** Every mail up to this place has been read, except the unread ones. */
  onPlace(place: MailboxPlace): Promise<void>;
  /** This mail could not be read in three rounds, and is left out from now on. */
  onLeftOut(mail: MailNumber): Promise<void>;
};

const connectMs = 15_000;
const silenceMs = 60_000;
const mailsPerRound = 500;
/** A mail that fails in this number of rounds is left out. */
export const unreadRoundsMax = 3;
/** More mails than these that fail are no fault of one mail: the mailbox is in trouble. */
const unreadMax = 20;

/**
 * Reads the newer mails of a mailbox (`imaps://user:password@host/folder`; default folder: inbox), then those that
 * failed before. One unreadable mail stops no other. No mail is moved or deleted, and unrelated mails stay unread.
 *
 * @throws the library's error if the mailbox can't be read.
 */
export async function readBounceMailbox(url: string, round: MailboxRound): Promise<void> {
  const { client, folder } = open(url);
  await client.connect();
  // A command that waits for its answer when the connection ends never settles by itself.
  const closed = new Promise<never>((_resolve, reject) => {
    client.once('close', () => reject(new Error('The mail server closed the connection.')));
  });
  closed.catch(() => undefined);
  try {
    const { uidValidity: validity } = await client.mailboxOpen(folder);
    const uidValidity = String(validity);
    const isSame = round.after?.uidValidity === uidValidity;
    const newer = (await newerMails(client, uidValidity, round)).slice(0, mailsPerRound);
    const failedBefore = isSame ? (round.after?.unread ?? []) : [];
    let place: MailboxPlace = { uidValidity, uid: isSame ? (round.after?.uid ?? 0) : 0, unread: failedBefore };
    for (const uid of [...newer, ...failedBefore.map((mail) => mail.uid)]) {
      const failure = await Promise.race([readOne(client, { uidValidity, uid }, round), closed]).then(
        () => null,
        (error: unknown) => ({ error }),
      );
      // We are busy ourselves, which is no fault of this mail: the next round reads on from here.
      if (failure && isBusy(failure.error)) throw failure.error;
      place = placeAfter(place, { uid, isRead: failure === null });
      if (failure && place.unread.length > unreadMax) throw failure.error;
      const leftOut = place.unread.find((mail) => mail.rounds >= unreadRoundsMax);
      if (leftOut) {
        await round.onLeftOut({ uidValidity, uid: leftOut.uid });
        place = { ...place, unread: place.unread.filter((mail) => mail !== leftOut) };
      }
      await round.onPlace(place);
      // Some servers end the connection over such a mail. The next round reads the others first.
      if (failure && !client.usable) throw failure.error;
    }
  } finally {
    client.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof AppError && error.type === 'UNAVAILABLE';
}

async function readOne(client: ImapFlow, number: MailNumber, { onMail }: MailboxRound): Promise<void> {
  const { uid } = number;
  const mail = await client.fetchOne(String(uid), { source: { maxLength: reportBytesMax } }, { uid: true });
  const source = mail ? mail.source : undefined;
  const isOurs = source ? await onMail(source, number) : false;
  if (isOurs) await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true });
}

function placeAfter(place: MailboxPlace, { uid, isRead }: { uid: number; isRead: boolean }): MailboxPlace {
  const others = place.unread.filter((mail) => mail.uid !== uid);
  const rounds = (place.unread.find((mail) => mail.uid === uid)?.rounds ?? 0) + 1;
  const unread = isRead ? others : [...others, { uid, rounds }];
  return { ...place, uid: Math.max(place.uid, uid), unread };
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
