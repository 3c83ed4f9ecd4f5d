import type { Email } from 'postal-mime';
import type { RecipientReply } from './mail-codes.ts';

/** Local parts that mail systems send their reports from. */
const mailSystem = /^(?:mailer-?daemon|mail-?daemon|postmaster|mdaemon|maildelivery|mail-delivery|bounces?)$/i;
/** Headers and subjects of an automatic reply of a person's mailbox (RFC 3834). */
const autoReplyHeaders = new Set(['x-autoreply', 'x-autorespond', 'x-autoresponder', 'x-vacation']);
const autoReplySubject =
  /^(?:auto(?:matic)?[ -]?(?:reply|response)?:|out of (?:the )?office|vacation|i am away|away from|abwesen)/i;
/** The mail is still being tried, so it has not failed. */
const delayWords =
  /\b(?:delayed|delay notification|warning message only|do not need to resend|will (?:continue|keep) (?:trying|to)|still (?:being )?(?:trying|retried)|not yet been delivered|will be retried)\b/i;
/** Lines after which the report quotes the mail that came back. */
const copyBegins =
  /^[ \t>]{0,40}-{0,80}[ \t]{0,10}(?:below this line is a copy|this is a copy of|original message|unsent message|the header of the original|message header|forwarded message|return-path:)/im;
const failureWords =
  /\b(?:undeliver|not (?:be )?deliver|deliver(?:y|ed)\b.{0,40}\bfail|fail(?:ed|ure)\b|returned (?:mail|to sender)|rejected|permanent error|bounced?)/i;
const excerptLength = 600;

/**
 * Reads a report without a machine part. Exim names its recipients in `X-Failed-Recipients`; qmail writes sentences.
 * Null for any other mail.
 */
export function readPlainReport(mail: Email): RecipientReply | null {
  const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value.trim();
  const subject = mail.subject ?? '';
  const text = reportText(mail);
  if (isAutoReply(mail) || delayWords.test(subject) || delayWords.test(text.slice(0, excerptLength))) return null;
  const failed = header('x-failed-recipients');
  const sender = (mail.from?.address ?? '').split('@')[0] ?? '';
  const returnPath = header('return-path');
  const isOfSystem = isMailSystem(sender) && (returnPath === undefined || /^<?>?$/.test(returnPath));
  if (failed === undefined && !(isOfSystem && failureWords.test(`${subject} ${text}`))) return null;
  return replyIn(aboutRecipient(text, failed?.split(/[\s,]+/)[0]));
}

/** True for a local part that mail systems send their reports from. */
export function isMailSystem(localPart: string): boolean {
  return mailSystem.test(localPart);
}

/** True for an automatic reply of a person’s mailbox. */
export function isAutoReply({ headers, subject = '' }: Email): boolean {
  return autoReplySubject.test(subject.trim()) || headers.some(({ key }) => autoReplyHeaders.has(key));
}

/** The words of the report itself, without the mail that it quotes. */
function reportText({ text = '', html = '' }: Email): string {
  const words = text.trim() || html.replace(/<[^<>]{0,2000}>/g, ' ');
  const copy = copyBegins.exec(words);
  return (copy ? words.slice(0, copy.index) : words).trim();
}

/** The part of the report behind the name of the recipient, where the reason is. */
function aboutRecipient(text: string, address: string | undefined): string {
  const named = address
    ? text.toLowerCase().indexOf(address.toLowerCase())
    : text.search(/^[ \t]{0,40}<[^<>\s@]{1,64}@[^<>\s]{1,255}>/m);
  return named < 0 ? text.slice(-excerptLength) : text.slice(named, named + excerptLength);
}

function replyIn(words: string): RecipientReply {
  const enhanced = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![\d.])/.exec(words)?.[0];
  const replyCode = /(?<![\d.])[45]\d\d(?=[ -])/.exec(words)?.[0];
  return { replyCode: replyCode ? Number(replyCode) : null, enhanced, words };
}
