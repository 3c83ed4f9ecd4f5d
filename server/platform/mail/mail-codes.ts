/**
 * What speaks of the mailbox itself (RFC 3463, section 3.2 and 3.3; X.1.10 by RFC 7505): it does not exist, has moved, or
 * is disabled. Everything else, such as 5.7.x for policy, may be about us and be mended.
 */
const closedMailboxCodes = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1']);
/** The same refused for now, and a mailbox that is full, which a dead person's is for ever. */
const mailboxCodes = /^[45]\.(1\.(1|2|3|6|10)|2\.[12])$/;
/** Without an enhanced code, what a server says of a recipient is mostly of the mailbox: gone, busy, or full. */
const bareMailboxReplies = new Set([450, 451, 452, 550, 552]);

/** What a server said of one recipient: its reply code, and the enhanced one such as 5.1.1, where it gave one. */
export type RecipientReply = { replyCode: number | null; enhanced: string | undefined };

/** Whether that is a refusal for good which speaks of the mailbox: there is none, or it is closed. */
export function saysMailboxIsClosed({ replyCode, enhanced }: RecipientReply): boolean {
  return enhanced ? closedMailboxCodes.has(enhanced) : replyCode === 550;
}

/** Whether it speaks of the mailbox at all, and not of us, our message or the line. */
export function speaksOfMailbox({ replyCode, enhanced }: RecipientReply): boolean {
  return enhanced ? mailboxCodes.test(enhanced) : replyCode !== null && bareMailboxReplies.has(replyCode);
}
