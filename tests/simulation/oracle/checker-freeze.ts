import type pg from 'pg';

type Mail = { to: string; messageId: string | null; providerId: string | null; at: string | null; answer: string };
type Frozen = { chain: string; from_at: Date; until_at: Date | null };
type Sent = { kind: string; user_id: string; message_id: string; provider_id: string | null };

/** Mails that advance a release: questions to contacts, letters, and repeated links. */
const carriesOn = [
  'release.contact_asked',
  'release.new-address',
  'delivery.letter',
  'delivery.reminder',
  'delivery.renewal',
];
/** Mail in progress at the freeze can't be recalled, and a server may take minutes. */
const handoverMs = 5 * 60_000;

/** 9. While everything, or its owner, is frozen, the post is given nothing that carries a release on. */
export async function leftWhileFrozen(client: Pick<pg.ClientBase, 'query'>, mails: readonly Mail[]): Promise<string[]> {
  const { rows: times } = await client.query<Frozen>(`
    select chain, created_at as from_at,
      (select min(created_at) from audit_logs ended
        where ended.chain = begun.chain and ended.position > begun.position and ended.action = 'release.resumed') as until_at
    from audit_logs begun where action = 'release.frozen'`);
  const { rows: sent } = await client.query<Sent>(
    'select kind, user_id, message_id, provider_id from notifications where kind = any($1)',
    [carriesOn],
  );
  const byMessage = new Map(sent.flatMap((row) => [[row.message_id, row] as const, [row.provider_id, row] as const]));
  return mails.flatMap(({ to, at, messageId, providerId }) => {
    const row = byMessage.get(messageId ?? '') ?? (providerId ? byMessage.get(providerId) : undefined);
    if (!row || !at) return [];
    const atMs = Date.parse(at);
    const isFrozen = times.some(
      ({ chain, from_at, until_at }) =>
        (chain === 'installation' || chain === row.user_id) &&
        atMs > from_at.getTime() + handoverMs &&
        (until_at === null || atMs < until_at.getTime()),
    );
    return isFrozen ? [`9: ${row.kind} went to ${to} while it was frozen`] : [];
  });
}
