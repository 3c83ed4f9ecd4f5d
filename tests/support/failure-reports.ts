type FailedMail = {
  /** The envelope's sender of the mail that failed. */
  returnPath: string | undefined;
  address: string;
  action?: 'failed' | 'delayed' | 'delivered';
  /** Status of RFC 3463; default: no such mailbox. */
  status?: string;
};

/** Report of another mail server about a failed delivery, as Postfix writes it (RFC 3464). */
export function failureReport({ returnPath, address, action = 'failed', status = '5.1.1' }: FailedMail): Buffer {
  const lines = [
    'Return-Path: <>',
    `Delivered-To: ${returnPath}`,
    'Date: Tue, 24 Nov 2026 10:00:00 +0000',
    'From: MAILER-DAEMON@mx.relay.example (Mail Delivery System)',
    'Subject: Undelivered Mail Returned to Sender',
    `To: ${returnPath}`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status;',
    '\tboundary="9B095B5ADSN=_01D9"',
    '',
    'This is a MIME-encapsulated message.',
    '',
    '--9B095B5ADSN=_01D9',
    'Content-Description: Notification',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'I’m sorry to have to inform you that your message could not be delivered.',
    '',
    '--9B095B5ADSN=_01D9',
    'Content-Description: Delivery report',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.relay.example',
    'X-Postfix-Queue-ID: 4D2F11A0C3',
    'Arrival-Date: Tue, 24 Nov 2026 09:59:58 +0000',
    '',
    `Final-Recipient: rfc822; ${address}`,
    `Original-Recipient: rfc822;${address}`,
    `Action: ${action}`,
    `Status: ${status}`,
    'Remote-MTA: dns; mx.family.example',
    `Diagnostic-Code: smtp; ${status.startsWith('5') ? 550 : 451} ${status} <${address}>: Recipient address`,
    '    rejected: User unknown in virtual mailbox table',
    '',
    '--9B095B5ADSN=_01D9',
    'Content-Description: Undelivered Message',
    'Content-Type: message/rfc822',
    '',
    'From: Everkept <hello@everkept.example>',
    `To: ${address}`,
    'Subject: A message',
    '',
    'Hello,',
    '--9B095B5ADSN=_01D9--',
    '',
  ];
  return Buffer.from(lines.join('\r\n'), 'utf8');
}

/** Headers of a mail of ours that came back, as servers enclose them. */
type Enclosed = { returnPath?: string; messageId?: string };

/** The report of qmail: words alone, and the whole mail below them. */
export function qmailReport({
  to,
  address,
  returnPath = '',
  messageId = '',
}: Enclosed & { to: string; address: string }) {
  return mailOf([
    'Return-Path: <>',
    `Delivered-To: ${to}`,
    'Date: 24 Nov 2026 10:00:00 -0000',
    'From: MAILER-DAEMON@mx.family.example',
    `To: ${to}`,
    'Subject: failure notice',
    '',
    'Hi. This is the qmail-send program at mx.family.example.',
    'I’m afraid I wasn’t able to deliver your message to the following addresses.',
    'This is a permanent error; I’ve given up. Sorry it didn’t work out.',
    '',
    `<${address}>:`,
    'Sorry, no mailbox here by that name. (#5.1.1)',
    '',
    '--- Below this line is a copy of the message.',
    '',
    `Return-Path: <${returnPath}>`,
    `Message-ID: ${messageId}`,
    'From: Everkept <hello@everkept.example>',
    '',
    'Please call 551 5.7.1 at once, this is no spam.',
  ]);
}

/** The report of Exim where it writes no machine part. */
export function eximReport({
  to,
  address,
  words = '550 No Such User Here',
}: {
  to: string;
  address: string;
  words?: string;
}) {
  return mailOf([
    `X-Failed-Recipients: ${address}`,
    'Auto-Submitted: auto-replied',
    'From: Mail Delivery System <Mailer-Daemon@mx.family.example>',
    `To: ${to}`,
    'Subject: Mail delivery failed: returning message to sender',
    '',
    'This message was created automatically by mail delivery software.',
    '',
    'A message that you sent could not be delivered to one or more of its',
    'recipients. This is a permanent error. The following address(es) failed:',
    '',
    `  ${address}`,
    '    host mx.family.example [192.0.2.1]',
    `    SMTP error from remote mail server after RCPT TO:<${address}>:`,
    `    ${words}`,
    '',
    '------ This is a copy of the message, including all the headers. ------',
    '',
    'From: Everkept <hello@everkept.example>',
  ]);
}

export function mailOf(lines: readonly string[]): Buffer {
  return Buffer.from([...lines, ''].join('\r\n'), 'utf8');
}
