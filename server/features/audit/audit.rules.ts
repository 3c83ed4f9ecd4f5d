/** What a row of the audit log says. Its hash covers all of it. */
export type AuditContent = {
  id: string;
  chain: string;
  action: string;
  resource: string;
  resourceId: string | null;
  details: Record<string, unknown> | null;
  /** Of where the request came from; null for what the server does by itself. */
  originHash: string | null;
  /** ISO 8601. */
  createdAt: string;
};

/** The chain of what concerns no single owner. */
export const installationChain = 'installation';

/** What the installation's chain says of all others: the heads of a day, and the last head of a chain that was removed. */
export const anchoredAction = 'audit.anchored';
export const chainEndedAction = 'audit.chain_ended';

/** All heads as they stood at one moment of a day (UTC, `2026-11-23`). `mac` is base64url, 43 characters. */
export type Anchor = { day: string; chains: number; rows: number; mac: string };

/** As it stands in the log output and in the mail to the operator. */
export function anchorLine({ day, chains, rows, mac }: Anchor): string {
  return `everkept-audit-anchor ${day} chains=${chains} rows=${rows} hmac=${mac}`;
}

const anchorPattern =
  /^(?:everkept-audit-anchor\s+)?(?<day>\d{4}-\d\d-\d\d)\s+chains=(?<chains>\d{1,15})\s+rows=(?<rows>\d{1,15})\s+hmac=(?<mac>[\w-]{43})$/;

/** Null for a text that is no such line. */
export function readAnchorLine(text: string): Anchor | null {
  const found = anchorPattern.exec(text.trim())?.groups;
  const { day, chains, rows, mac } = found ?? {};
  return day && mac ? { day, chains: Number(chains), rows: Number(rows), mac } : null;
}

/** Longest browser name that is kept. */
export const userAgentLengthMax = 400;

const wordLengthMax = 80;
const depthMax = 4;
const withheld = '[withheld]';

/**
 * The text a hash is made of: the same for a row that is about to be written and for the row as it is read back,
 * whose `jsonb` details come in another order.
 */
export function canonicalContent(content: AuditContent): string {
  const { id, chain, action, resource, resourceId, details, originHash, createdAt } = content;
  return JSON.stringify([id, chain, action, resource, resourceId, sortKeys(details), originHash, createdAt]);
}

/**
 * Details with everything taken out that could be somebody's words or address. Numbers, yes and no, ids, dates and
 * single words stay. The log must not fail an owner's request, so a text is withheld, not refused.
 */
export function withoutContent(details: Record<string, unknown>): Record<string, unknown> {
  return cleaned(details, 0) as Record<string, unknown>;
}

function cleaned(value: unknown, depth: number): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : withheld;
  if (typeof value === 'string') return isWord(value) ? value : withheld;
  if (typeof value !== 'object' || depth >= depthMax) return withheld;
  if ('toJSON' in value && typeof value.toJSON === 'function') return cleaned(value.toJSON(), depth + 1);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, depth + 1));

  const kept = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(kept.map(([name, inner]) => [isWord(name) ? name : withheld, cleaned(inner, depth + 1)]));
}

function isWord(text: string): boolean {
  return text.length <= wordLengthMax && /^[\w.:+/-]*$/.test(text);
}

/** Gives the value itself where it is in order already, as it mostly is: a verification asks this of every row. */
function sortKeys(value: unknown): unknown {
  if (isInOrder(value)) return value;
  if (Array.isArray(value)) return value.map(sortKeys);

  const entries = Object.entries(value as object).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sortKeys(inner)]));
}

function isInOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isInOrder);

  const named = value as Record<string, unknown>;
  let last = '';
  for (const name of Object.keys(named)) {
    if (name < last || !isInOrder(named[name])) return false;
    last = name;
  }
  return true;
}
