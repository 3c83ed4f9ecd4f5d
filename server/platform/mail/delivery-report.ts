import PostalMime, { type Email } from 'postal-mime';
import type { RecipientReply } from './mail-codes.ts';
import { reportBytesMax, reportDepthMax, reportLinesMax } from './report-limits.ts';

/** A report of a mail server that a mail could not be brought to its recipient. */
export type FailureReport = {
  /** To whom the report was sent: the return path of the mail is among them. */
  sentTo: string[];
  reply: RecipientReply;
};

/** Headers that name to whom a mail was brought, as servers and mailboxes write them, and as its sender did. */
const recipientHeaders = new Set(['delivered-to', 'x-delivered-to', 'x-original-to', 'envelope-to', 'to']);
const addressInHeader = /[^\s<>,;:"]+@[^\s<>,;:"]+/g;

/** Outcomes after which somebody has the mail, or somebody else brings it (RFC 3464, section 2.3.3). */
const notFailed = new Set(['delivered', 'relayed', 'expanded']);

/**
 * Reads a delivery status notification (RFC 3464) that says of every recipient it names that the mail failed for good. Null for
 * anything else: a delay, a receipt, somebody's holiday. Throws nothing, whatever the bytes are.
 */
export async function readFailureReport(raw: Uint8Array): Promise<FailureReport | null> {
  const options = {
    attachmentEncoding: 'utf8',
    maxNestingDepth: reportDepthMax,
    maxHeadersSize: reportBytesMax,
  } as const;
  const mail = await PostalMime.parse(readable(raw), options).catch(() => null);
  const status = mail?.attachments.find(({ mimeType }) => /^message\/(global-)?delivery-status$/i.test(mimeType));
  if (!mail || typeof status?.content !== 'string') return null;

  const recipients = fieldGroups(status.content).filter((fields) => fields.has('final-recipient'));
  const actions = recipients.map((fields) => fields.get('action')?.toLowerCase() ?? '');
  const failed = recipients[actions.indexOf('failed')];
  if (!failed || actions.some((action) => notFailed.has(action))) return null;
  return { sentTo: sentToOf(mail), reply: replyOf(failed) };
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
 * The enhanced code is the field's own where it says more than 5.0.0, “failed”; else what the other server said, whose reply
 * stands behind `smtp;` (section 2.3.6).
 */
function replyOf(fields: Map<string, string>): RecipientReply {
  const said = /^smtp\s*;\s*(?:(\d{3})[ -])?\s*(?:(\d\.\d{1,3}\.\d{1,3})\b)?/i.exec(
    fields.get('diagnostic-code') ?? '',
  );
  const status = /^\d\.\d{1,3}\.\d{1,3}\b/.exec(fields.get('status') ?? '')?.[0];
  const enhanced = status && !status.endsWith('.0.0') ? status : (said?.[2] ?? status);
  return { replyCode: said?.[1] ? Number(said[1]) : null, enhanced };
}

function sentToOf({ headers }: Email): string[] {
  return headers
    .filter(({ key }) => recipientHeaders.has(key))
    .flatMap(({ value }) => value.match(addressInHeader) ?? []);
}
