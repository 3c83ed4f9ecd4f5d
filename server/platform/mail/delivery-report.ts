import PostalMime, { type Email } from 'postal-mime';
import type { RecipientReply } from './mail-codes.ts';
import { isOfPerson } from './person-reply.ts';
import { readPlainReport } from './plain-report.ts';
import { reportBytesMax, reportDepthMax, reportLinesMax } from './report-limits.ts';

/** Report of a mail server that a mail could not be brought to its recipient. */
export type FailureReport = {
  /** Addresses the report was sent to: the return path of the mail is among them. */
  sentTo: string[];
  /** Time when the report was written, in milliseconds. Null if it does not say. */
  writtenAtMs: number | null;
  reply: RecipientReply;
};

/** A mail that came to where mails come back, if it says something about a mail of ours. */
export type ReturnedMail = ({ kind: 'failure' } & FailureReport) | ({ kind: 'reply' } & Pick<FailureReport, 'sentTo'>);

/** Headers that name to whom a mail was brought, as servers and mailboxes write them, and as its sender did. */
const recipientHeaders = new Set(['delivered-to', 'x-delivered-to', 'x-original-to', 'envelope-to', 'to']);
const aroundAddresses = /[\s<>,;:"]+/;

/** Outcomes after which the recipient has the mail, or another server brings it (RFC 3464, section 2.3.3). */
const notFailed = new Set(['delivered', 'relayed', 'expanded']);

/**
 * Reads a report that a mail failed permanently, or a person's reply. A report is a delivery status notification (RFC 3464), a mail with
 * `X-Failed-Recipients`, or a plain report of a mail system. Null for any other mail, such as a delay, a receipt or an out-of-office
 * reply. Throws nothing.
 */
export async function readReturnedMail(raw: Uint8Array): Promise<ReturnedMail | null> {
  const mail = await parsed(raw);
  if (!mail) return null;
  const failure = failureIn(mail);
  if (failure) return { kind: 'failure', ...failure };
  return isOfPerson(mail) ? { kind: 'reply', sentTo: sentToOf(mail) } : null;
}

function parsed(raw: Uint8Array): Promise<Email | null> {
  const options = {
    attachmentEncoding: 'utf8',
    forceRfc822Attachments: true,
    maxNestingDepth: reportDepthMax,
    maxHeadersSize: reportBytesMax,
  } as const;
  return PostalMime.parse(readable(raw), options).catch(() => null);
}

function failureIn(mail: Email): FailureReport | null {
  const status = mail.attachments.find(({ mimeType }) => /^message\/(global-)?delivery-status$/i.test(mimeType));
  // The machine part decides if there is one: it tells a delay from a failure.
  const reply = status
    ? typeof status.content === 'string'
      ? replyOfStatus(status.content)
      : null
    : readPlainReport(mail);
  return reply && { sentTo: sentToOf(mail), writtenAtMs: msOf(mail.date), reply };
}

function replyOfStatus(content: string): RecipientReply | null {
  const recipients = fieldGroups(content).filter((fields) => fields.has('final-recipient'));
  const actions = recipients.map((fields) => fields.get('action')?.toLowerCase() ?? '');
  const failed = recipients[actions.indexOf('failed')];
  return !failed || actions.some((action) => notFailed.has(action)) ? null : replyOf(failed);
}

/** The beginning of a mail, up to the limits of its bytes and its lines. */
function readable(raw: Uint8Array): Uint8Array {
  let end = -1;
  for (let lines = 0; lines < reportLinesMax; lines += 1) {
    end = raw.indexOf(0x0a, end + 1);
    if (end < 0 || end >= reportBytesMax) return raw.subarray(0, reportBytesMax);
  }
  return raw.subarray(0, end + 1);
}

/** Groups of fields apart by empty lines: the first is about the mail, each other about one recipient. */
function fieldGroups(text: string): Map<string, string>[] {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/\n[ \t]+/g, ' ')
    .split(/\n{2,}/)
    .map((group) => {
      const fields = group.split('\n').map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
      });
      return new Map(fields);
    });
}

/**
 * The enhanced code is the field's own if it says more than x.0.0, “failed”. Otherwise it is the one in the other server's
 * reply, which is in the diagnostic after `smtp;` (section 2.3.6).
 */
function replyOf(fields: Map<string, string>): RecipientReply {
  const diagnostic = fields.get('diagnostic-code') ?? '';
  const said = /^(?:smtp|x-[\w-]+)\s*;\s*(?:(\d{3})[ -]?)?\s*(?:#?(\d\.\d{1,3}\.\d{1,3})\b)?/i.exec(diagnostic);
  const status = /^\d\.\d{1,3}\.\d{1,3}\b/.exec(fields.get('status') ?? '')?.[0];
  const enhanced = status && !status.endsWith('.0.0') ? status : (said?.[2] ?? status);
  return { replyCode: said?.[1] ? Number(said[1]) : null, enhanced, words: diagnostic };
}

function sentToOf({ headers }: Email): string[] {
  return headers
    .filter(({ key }) => recipientHeaders.has(key))
    .flatMap(({ value }) => value.split(aroundAddresses).filter((word) => /.@./.test(word)));
}

function msOf(date: string | undefined): number | null {
  const ms = Date.parse(date ?? '');
  return Number.isNaN(ms) ? null : ms;
}
