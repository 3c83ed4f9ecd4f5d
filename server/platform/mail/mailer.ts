import { headerText, isMailAddress, type MailAddress } from './addresses.ts';
import type { MailRate } from './mail-pace.ts';

/** One mail to one person. */
export type OutgoingMail = {
  /** The sender, when it is not the installation's own. */
  from?: MailAddress;
  /** The only recipient: a mail to one person never lists another. */
  to: MailAddress;
  /** Address for bounces (RFC 5321, section 4.4); default: the sender. */
  returnPath?: string | undefined;
  subject: string;
  html: string;
  text: string;
  /** With its angle brackets, `<local@domain>` (RFC 5322, section 3.6.4). The same at every attempt. */
  messageId: string;
  headers?: Readonly<Record<string, string>>;
};

/**
 * `accepted`: the mail server answered 250 to the whole message. `temporary`: it may work later, so try again.
 * `refused`: there is no such mailbox, or it is closed. `withheld`: it was not to leave any more, and not a byte of it did.
 */
export type MailResult =
  | { outcome: 'accepted' }
  | { outcome: 'withheld' }
  | {
      outcome: 'temporary' | 'refused';
      /** The server's reply code, such as 550; null when it did not answer. Its words may hold an address: not kept. */
      replyCode: number | null;
      /**
       * True if the answer concerns us, our message or the server itself (policy, reputation, routing, size). Then it
       * says nothing about the recipient's mailbox, however often it is repeated.
       */
      isTrouble?: true;
      /** The server asks us to come later, or less often (421, or 4.7.x of RFC 3463). */
      isTooFast?: true;
      /** The server had the mail, or a part of it, and its answer never came: it may have been delivered all the same. */
      mayHaveArrived?: true;
    };

/** Asked once, directly before the first byte of a mail leaves: whether it is still to go. */
export type MayLeave = () => Promise<boolean>;

export type Mailer = {
  /** Never throws: whatever happens on the way is an outcome. */
  send(mail: OutgoingMail, mayLeave?: MayLeave): Promise<MailResult>;
  /** `outbox`: nothing leaves this machine, the rows are what there is to read. */
  readonly kind: 'smtp' | 'outbox';
  /** Number of mails that may be handed over now; left out where there is no limit. */
  room?(): number;
  /** True if they are to be given out in turn, since it takes no more than so many; left out where it never does. */
  isPaced?(): boolean;
  /** Finishes mails in progress and closes the connections. */
  close(): Promise<void>;
};

/** Begins the address of a provider that is known by its name: `smtp-service://user:password@Postmark`. */
export const smtpServiceScheme = 'smtp-service:';

export type MailerSettings = {
  /** `smtp://user:password@host:port` or `smtps://…`; left out, mail stays in the outbox. */
  smtpUrl?: string | undefined;
  /** The sender of every mail: `Everkept <hello@example.org>` or the bare address. */
  from: string;
  /** The longest a whole mail may take. */
  wholeMs?: number | undefined;
  /** Mails per time that the provider accepts, if the operator set it. */
  rate?: MailRate | undefined;
};

/** The mailer these settings ask for. The SMTP library is loaded only when there is a server to speak to. */
export async function openMailer({ smtpUrl, from, wholeMs, rate }: MailerSettings): Promise<Mailer> {
  if (smtpUrl === undefined) return createOutboxMailer();

  const { createSmtpMailer } = await import('./smtp-mailer.ts');
  const { paceMailer } = await import('./mail-pace.ts');
  const mailer = createSmtpMailer({ url: smtpUrl, from, timeouts: wholeMs === undefined ? {} : { wholeMs } });
  return paceMailer(mailer, rate ?? { perSecond: null, perHour: null });
}

/** Accepts at once. The rows that hold the mails are the outbox. */
export function createOutboxMailer(): Mailer {
  return {
    kind: 'outbox',
    send: async (mail, mayLeave) => {
      if (!isSendable(mail)) return { outcome: 'refused', replyCode: null };
      return { outcome: mayLeave && !(await mayLeave()) ? 'withheld' : 'accepted' };
    },
    close: async () => {},
  };
}

const messageIdForm = /^<[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,120}@[A-Za-z0-9.-]{1,120}>$/;
const headerName = /^[A-Za-z][A-Za-z0-9-]{0,60}$/;
const ownHeaders = /^(?:from|to|cc|bcc|sender|subject|message-id|date|mime-version|content-.*|resent-.*)$/i;

/** Every driver asks this first: a mail that could say more than it should, or to more people, is sent by none. */
export function isSendable({ to, from, returnPath, messageId, headers = {} }: OutgoingMail): boolean {
  return (
    isMailAddress(to.address) &&
    (from === undefined || isMailAddress(from.address)) &&
    (returnPath === undefined || isMailAddress(returnPath)) &&
    messageIdForm.test(messageId) &&
    Object.entries(headers).every(
      ([name, value]) => headerName.test(name) && !ownHeaders.test(name) && headerText(value) === value,
    )
  );
}
