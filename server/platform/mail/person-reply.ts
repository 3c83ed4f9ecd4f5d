import type { Email } from 'postal-mime';
import { isAutoReply, isMailSystem } from './plain-report.ts';

/** Headers of lists and of programs that write mail. A person's answer has none of them. */
const programHeaders = new Set([
  'x-auto-response-suppress',
  'list-id',
  'list-post',
  'list-unsubscribe',
  'mailing-list',
  'feedback-id',
  'x-loop',
  'x-failed-recipients',
]);
const bulkPrecedence = /^(?:bulk|junk|list|auto[-_ ]?reply)$/i;
const noReplyName = /^(?:no-?reply|do-?not-?reply)\b/i;

/** True for a mail that a person wrote; false for one that a program wrote, such as an out-of-office reply (RFC 3834). */
export function isOfPerson(mail: Email): boolean {
  const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value.trim();
  const sender = (mail.from?.address ?? '').split('@')[0] ?? '';
  const isOfProgram =
    sender === '' ||
    isMailSystem(sender) ||
    noReplyName.test(sender) ||
    isAutoReply(mail) ||
    mail.headers.some(({ key }) => programHeaders.has(key)) ||
    !/^no\b/i.test(header('auto-submitted') ?? 'no') ||
    bulkPrecedence.test(header('precedence') ?? '') ||
    /^<?>?$/.test(header('return-path') ?? 'unknown') ||
    /^multipart\/report\b/i.test(header('content-type') ?? '');
  return !isOfProgram;
}
