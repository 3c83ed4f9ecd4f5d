import { createHash } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { beginSignIn } from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';
import { createWorld, type World } from '#tests/support/everkept-world.ts';

/** Attack of a person who writes to the database without a key: rows with a known token. */

let everkept: Everkept;
let world: World;
let stepToken: string;

beforeAll(async () => {
  everkept = await createEverkept();
  world = await createWorld(everkept);
  const waiting = await beginSignIn(everkept, world.owner);
  stepToken = waiting.others.get('everkept-step') ?? '';
});
afterAll(() => everkept.close());

type Kind = {
  name: string;
  /** Column of the token; the rest of the row is valid. */
  column: `${string}.${string}`;
  token: () => string;
  use: (token: string) => Promise<LightMyRequestResponse>;
  /** True if it opened what it is for; a status below 300, unless said otherwise. */
  opens?: (answer: LightMyRequestResponse) => boolean;
};

const behind = (path: string) => (token: string) => createBrowser(everkept.app).send('GET', path + token);
const withCookie = (name: string, path: string) => (token: string) => {
  const browser = createBrowser(everkept.app);
  browser.others.set(name, token);
  return browser.send('GET', path);
};
const password = 'a long evening by the sea';
const setPassword = (token: string) =>
  createBrowser(everkept.app).send('POST', '/api/reset-password/complete', {
    body: { token, password, confirmPassword: password },
  });
const isVerified = ({ headers }: LightMyRequestResponse) => headers.location === '/?verified=true';
const isAsked = (answer: LightMyRequestResponse) => answer.json<{ secondFactor: string[] }>().secondFactor.length > 0;
const ofWorld = (name: keyof World['tokens']) => () => world.tokens[name];
const invited = '/api/trusted-contact-invitation/';
const portal = '/api/trusted-contact-admin/';

const kinds: readonly Kind[] = [
  {
    name: 'session',
    column: 'sessions.sid',
    token: () => world.owner.browser.cookie?.split('=')[1] ?? '',
    use: withCookie('everkept', '/api/messages'),
  },
  {
    name: 'sign-in that waits for a second factor',
    column: 'sign_in_steps.token_hash',
    token: () => stepToken,
    use: withCookie('everkept-step', '/api/login/second-factor'),
    opens: isAsked,
  },
  {
    name: 'verification',
    column: 'users.email_verification_token',
    token: ofWorld('verification'),
    use: behind('/api/verify-email?token='),
    opens: isVerified,
  },
  { name: 'password reset', column: 'users.password_reset_token', token: ofWorld('reset'), use: setPassword },
  {
    name: 'invitation',
    column: 'trusted_contacts.confirmation_token',
    token: ofWorld('invitation'),
    use: behind(invited),
  },
  { name: 'portal', column: 'release_asks.token_hash', token: ofWorld('portal'), use: behind(portal) },
  { name: 'check-in', column: 'checkin_links.token_hash', token: ofWorld('checkIn'), use: behind('/api/check-in/') },
  {
    name: 'delivery',
    column: 'message_deliveries.delivery_token',
    token: ofWorld('letter'),
    use: behind('/api/message-delivery/'),
  },
  {
    name: 'new address',
    column: 'new_address_links.token_hash',
    token: ofWorld('newAddress'),
    use: behind('/api/new-address/'),
  },
  { name: 'news', column: 'bulk_email_recipients.link_hash', token: ofWorld('news'), use: behind('/api/news/') },
  {
    name: 'question a month',
    column: 'writing_questions.link_hash',
    token: ofWorld('questions'),
    use: behind('/api/news/'),
  },
  {
    name: 'removal of a contact',
    column: 'release_requests.removal_token_hash',
    token: ofWorld('removal'),
    use: behind('/api/remove-contact/'),
  },
  { name: 'not me', column: 'not_me_links.token_hash', token: ofWorld('notMe'), use: behind('/api/not-me/') },
  {
    name: 'button that links a provider',
    column: 'identity_links.link_hash',
    token: ofWorld('linkSignIn'),
    use: behind('/api/link-sign-in/'),
  },
  {
    name: 'refusal of a provider',
    column: 'identity_links.not_me_hash',
    token: ofWorld('unlinkSignIn'),
    use: behind('/api/unlink-sign-in/'),
  },
  {
    name: 'checkout',
    column: 'checkouts.token_hash',
    token: ofWorld('checkout'),
    use: behind('/api/payments/sandbox/'),
  },
];

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');

async function plant({ column }: Kind, change: { from: string; to: string }): Promise<void> {
  const [table = '', name = ''] = column.split('.');
  const statement = `update ${table} set ${name} = $2 where ${name} = $1`;
  const { rowCount } = await everkept.database.pool.query(statement, [change.from, change.to]);
  expect(rowCount).toBe(1);
}

describe('a row with the SHA-256 of an attacker’s token', () => {
  it.each(kinds)('opens nothing as a $name', async (kind) => {
    const { token, use, opens = ({ statusCode }) => statusCode < 300 } = kind;
    const chosen = newToken();
    const stored = everkept.hashToken(token());
    await plant(kind, { from: stored, to: sha256(chosen) });
    expect(opens(await use(chosen))).toBe(false);

    // Only with the installation's key would the very same row have opened.
    await plant(kind, { from: sha256(chosen), to: everkept.hashToken(chosen) });
    expect(opens(await use(chosen))).toBe(true);
  });

  it('is no recovery code', async () => {
    const code = '7KQ29XPDM4TF0ZRB';
    const { userId } = world.owner;
    const update = `update recovery_codes set code_hash = $2
      where ctid = (select min(ctid) from recovery_codes where user_id = $1)`;
    const { rowCount } = await everkept.database.pool.query(update, [userId, sha256(`${userId} ${code}`)]);
    expect(rowCount).toBe(1);
    const browser = await beginSignIn(everkept, world.owner);
    const answer = await browser.send('POST', '/api/login/second-factor', { body: { factor: 'recovery', code } });
    expect(answer.statusCode).toBe(401);
  });
});

/** Hashes that open nothing, or whose text is slow to guess. */
const others = [
  'audit_chains.head_hash',
  'audit_chains.pruned_hash',
  'audit_logs.hash',
  'audit_logs.origin_hash',
  'audit_logs.previous_hash',
  'login_attempts.email_hash',
  'push_devices.endpoint_hash',
  'received_texts.id_hash',
  'schema_migrations.hash',
  'voucher_usage.person_hash',
];

test('every column that keeps a token is among those above', async () => {
  const { rows } = await everkept.database.pool.query<{ name: string }>(`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and (column_name ~ 'token|hash' or column_name = 'sid')`);
  const known = [...kinds.map(({ column }) => column), 'recovery_codes.code_hash', ...others];
  expect(rows.map(({ name }) => name).sort()).toEqual(known.sort());
});
