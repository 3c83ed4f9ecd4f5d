/** Answer of a mail server about one recipient. */
export type RecipientReply = {
  /** Reply code, such as 550. Null if the answer had none. */
  replyCode: number | null;
  /** Enhanced code, such as 5.1.1 (RFC 3463). Undefined if the answer had none. */
  enhanced: string | undefined;
  /** The answer in words. They may hold an address, so they are judged and never stored. */
  words?: string | undefined;
};

/**
 * Permanent refusals that speak of the mailbox itself (RFC 3463; X.1.10 by RFC 7505): it does not exist, has moved or is
 * disabled. 5.4.4 says that the domain is gone.
 */
const closedMailboxCodes = new Set([
  ...['5.1.0', '5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10'],
  ...['5.2.0', '5.2.1', '5.4.1', '5.4.4', '5.5.0'],
]);
/** Codes by which Exchange Online and Outlook.com name an unknown mailbox, and other servers a failed connection. */
const ambiguousCodes = new Set(['5.4.1', '5.5.0']);
/** Temporary codes of such refusals, and a full mailbox, which stays full after a death. */
const mailboxCodes = /^[45]\.(1\.(1|2|3|6|10)|2\.[12])$/;
/** Permanent reply codes to RCPT that mean the mailbox if no enhanced code is given. */
const closedMailboxReplies = new Set([511, 550, 551, 553, 554]);
/** Reply codes to RCPT that mean the mailbox if no enhanced code is given: gone, busy, or full. 451 is an error of the server. */
const bareMailboxReplies = new Set([450, 452, 552, ...closedMailboxReplies]);

/** Characters of an answer that are read. A line of one has 512 at most (RFC 5321, section 4.5.3.1.5). */
export const wordsLengthMax = 1_000;

/** Addresses, links and host names: the name of a mailbox or of a server says nothing of the reason. */
const namesInWords = /<[^>]*>|\S*@\S*|https?:\/\/\S*|\b(?=[\w.-]*[a-z])[\w-]+(?:\.[\w-]+)+/gi;
/** Our content, our reputation, our authentication, our sender or our pace is refused, and never the mailbox. */
const policyWords = new RegExp(
  [
    String.raw`\b5\.7\.\d{1,3}\b|\bpolic(?:y|ies)\b|\bspam|\bjunk\b|\bunsolicited\b|\bbulk\b|\bvirus\b|\bmalware\b`,
    String.raw`\bblock(?:ed|ing|list\w*)?\b|\bblacklist|\bdenylist|\bbanned\b|\bs3140\b|(?<!\bnot )\blisted\b|\breputation\b`,
    String.raw`\bdns-?[bw]l\b|\brbl\b|\bspamhaus\b|\bspamcop\b|\babus(?:e|ive)\b|\bgr[ae]y-?list`,
    String.raw`authenticat|\bunauthori[sz]ed\b|\bdmarc\b|\bdkim\b|\bspf\b|\breverse dns\b|\bptr\b|\brdns\b|\b[eh][eh]lo\b`,
    String.raw`\brates?\b|\bthrottl|\btoo (?:many|fast|much)\b|\brelaying\b|\bto relay\b|\brelay (?:access )?(?:denied|not)\b`,
    String.raw`\bsender\b|(?<!\baddress rejected: )\baccess denied\b`,
  ].join('|'),
  'i',
);
/** The server speaks of the mail itself, which a report does not tell apart from a refused recipient. */
const messageWords =
  /\bmessage (?:was |has been |is |size )?(?:rejected|refused|denied|not accepted|too|exceeds)|\bcontent\b|\battachment|\btransaction failed\b|\bend of data\b/i;
const connectionWords =
  /\bconnect(?:ion)?\b|\btimed? ?out\b|\bno answer\b|\bno route\b|\bnetwork\b|\bprotocol\b|\bsyntax\b|\bcommand\b|\bnot respond/i;
const mailboxNouns = 'user|mailbox|recipient|account|address|alias|person|inbox';
const noMailboxWords = new RegExp(
  [
    String.raw`\b(?:unknown|no such|invalid|inactive|non-?existent|unrouteable) (?:or \w+ )?(?:local )?(?:${mailboxNouns})\b`,
    String.raw`\b(?:${mailboxNouns}|domain)\b[^.;]{0,80}?\b(?:unknown|not found|unavailable|disabled|inactive|deactivated|suspended|closed|expired|terminated|invalid|not exist|not available|not listed|no longer|could not be found)\b`,
    String.raw`\bdoes(?:n['’]t| not) (?:exist|have an? .{0,60}account)\b|\bno (?:mailbox|user|account)s? (?:here|by that name|with that name)\b`,
    String.raw`\bnot a (?:known|valid) (?:${mailboxNouns})\b|\bhost (?:or domain name )?not found\b|\b(?:address|recipient) rejected\b`,
  ].join('|'),
  'i',
);
const fullWords =
  /\b(?:mailbox|inbox|account|user)\b[^.;]{0,60}\b(?:full|over (?:its |the )?(?:quota|storage)|out of storage|exceeded)|\bover ?quota\b|\bquota exceeded\b|\bmailbox full\b/i;

/** Point of the refusal: the recipient's name, the mail itself, or a later report. */
export type RefusedAt = 'rcpt' | 'data' | 'report';

/**
 * True if it is a permanent refusal that speaks of the mailbox. Policy words win over every code, since a provider that refuses
 * all of our mail must not close one mailbox.
 */
export function saysMailboxIsClosed(reply: RecipientReply, at: RefusedAt): boolean {
  const { replyCode } = reply;
  const enhanced = codeOf(reply);
  if (enhanced?.startsWith('4.') || (replyCode !== null && replyCode < 500)) return false;
  const words = wordsOf(reply);
  if (isOfPolicy(enhanced, words)) return false;
  const isSaid = noMailboxWords.test(words);
  if (enhanced === undefined) return isSaid ? !fullWords.test(words) : saysNoMailboxByCode(replyCode, words, at);
  if (!closedMailboxCodes.has(enhanced)) return false;
  if (at === 'data') return isSaid;
  return isSaid || !ambiguousCodes.has(enhanced) || !connectionWords.test(words);
}

function saysNoMailboxByCode(replyCode: number | null, words: string, at: RefusedAt): boolean {
  if (replyCode === null || !closedMailboxReplies.has(replyCode) || fullWords.test(words)) return false;
  return at === 'rcpt' || (at === 'report' && !messageWords.test(words));
}

/** True if it speaks of the mailbox at all, and not of us, our message or the line. */
export function speaksOfMailbox(reply: RecipientReply, at: RefusedAt): boolean {
  if (saysMailboxIsClosed(reply, at)) return true;
  const words = wordsOf(reply);
  const enhanced = codeOf(reply);
  if (isOfPolicy(enhanced, words)) return false;
  if (enhanced !== undefined) return at !== 'data' && mailboxCodes.test(enhanced);
  const isBareCode = at === 'rcpt' && reply.replyCode !== null && bareMailboxReplies.has(reply.replyCode);
  return isBareCode || fullWords.test(words);
}

function isOfPolicy(enhanced: string | undefined, words: string): boolean {
  return /^[45]\.7\./.test(enhanced ?? '') || policyWords.test(words);
}

/** X.0.0 says “failed” and nothing more, so it counts as no code. */
function codeOf({ enhanced }: RecipientReply): string | undefined {
  return enhanced?.endsWith('.0.0') ? undefined : enhanced;
}

function wordsOf({ words = '' }: RecipientReply): string {
  return words.slice(0, wordsLengthMax).replace(namesInWords, ' ').replace(/\s+/g, ' ');
}
