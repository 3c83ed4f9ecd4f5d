import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

const reason = 'He is in St Thomas’, in a coma since Friday.';

let everkept: Everkept;
let sam: Owner;
let priya: string;
let tom: Owner;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

/** Sam has fallen silent. Priya, without an account, and Tom, with one, are asked. */
beforeEach(async () => {
  await everkept.database.db.delete(users);
  everkept.mailer.clear();
  sam = await everkept.signUp({ firstName: 'Sam' });
  tom = await everkept.signUp({ firstName: 'Tom' });
  priya = `priya.${sam.email}`;
  await sam.browser.send('PUT', '/api/user-profile', {
    body: { releaseMethod: 'inactivity', inactivityDays: 90 },
  });
  await everkept.write(sam, { recipientEmail: `nell.${sam.email}` });
  await everkept.befriend(sam, { name: 'Priya Shah', email: priya });
  await everkept.befriend(sam, { name: 'Tom Okri', email: tom.email });
  await everkept.live(91);
});

function linkOf(address: string): string {
  const mails = everkept.mailer.sent.filter(({ to }) => to.address === address);
  const tokens = mails.flatMap(({ text }) => /\/trusted-contact-admin\/([\w-]+)/.exec(text)?.[1] ?? []);
  return tokens.at(-1) ?? 'no-link-was-sent';
}
const page = async (address: string) =>
  (await createBrowser(everkept.app).send('GET', `/api/trusted-contact-admin/${linkOf(address)}`)).json();
const sayAlive = (address: string, words: string = reason) =>
  createBrowser(everkept.app).send('POST', `/api/trusted-contact-admin/${linkOf(address)}/alive`, {
    body: { reason: words },
  });
const said = (address: string) =>
  everkept.mailer.sent
    .filter(({ to }) => to.address === address)
    .map(({ subject, text }) => `${subject}\n${text.replace(/\s+/g, ' ')}`);

describe('“alive, but can’t answer”', () => {
  test('stops everything, is kept on its page, and is reported in its own words, without the reason', async () => {
    const answer = await sayAlive(priya);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      ok: true,
      message:
        'You told us that Sam is alive and can’t answer. Nothing is sent. If Sam stays silent, we ask you for news in 30 days.',
    });
    expect(await page(priya)).toMatchObject({ state: 'alive', outcome: answer.json().message });
    await everkept.live(0.1);
    expect(said(tom.email).at(-1)).toContain('told us that Sam is alive and can’t answer');
    expect(said(sam.email).at(-1)).toContain('told us that you are alive and can’t answer');
    expect(everkept.mailer.sent.filter(({ text, html }) => `${text}${html}`.includes('coma'))).toEqual([]);
    const rows = await everkept.database.db.select().from(auditLogs).where(eq(auditLogs.userId, sam.userId));
    expect(rows.map(({ action }) => action)).toContain('release.said_alive');
    expect(JSON.stringify(rows)).not.toContain('coma');
  });

  test('needs a reason, and counts once', async () => {
    expect((await sayAlive(priya, '  ')).statusCode).toBe(400);
    expect((await sayAlive(priya)).statusCode).toBe(200);
    const again = await sayAlive(priya);
    expect([again.statusCode, again.json().message]).toEqual([409, 'You have answered already. Thank you.']);
  });

  test('is asked about after 30 days, and a release by silence waits for news each time', async () => {
    await sayAlive(priya);
    await everkept.live(31);
    expect(said(priya).at(-1)).toMatch(/^Is there news of Sam Ashworth\?/);
    expect(await page(priya)).toMatchObject({ state: 'open', aliveSaidAt: expect.any(String) });
    expect((await sayAlive(priya)).statusCode).toBe(200);
    await everkept.live(0.1);
    expect(said(tom.email).at(-1)).toContain('for the second time');
    expect(said(sam.email).at(-1)).toContain('for the second time');
    await everkept.live(31);
    expect(said(priya).at(-1)).toMatch(/^Is there news of Sam Ashworth\?/);
    expect(said(`nell.${sam.email}`)).toEqual([]);
  });

  test('is read by the owner at the return: who answered, when and why', async () => {
    await sayAlive(priya);
    await everkept.signIn(sam);
    const { cameBack } = (await sam.browser.send('GET', '/api/release')).json();
    expect(cameBack.aliveAnswers).toEqual([{ byName: 'Priya', at: expect.any(String), reason }]);
  });

  test('is said by a trustee in their account, too, while people are asked', async () => {
    await everkept.signIn(tom);
    const say = () => tom.browser.send('POST', `/api/trustee/alive/${sam.userId}`, { body: { reason } });
    const canSay = async () =>
      (await tom.browser.send('GET', `/api/trustee/messages?ownerUserId=${sam.userId}`)).json()[0].release.canSayAlive;
    expect(await canSay()).toBe(true);
    const answer = await say();
    expect([answer.statusCode, answer.json().message]).toEqual([
      200,
      'Your answer is kept: Sam is alive and can’t answer. If Sam stays silent, we ask you for news in 30 days.',
    ]);
    expect(await canSay()).toBe(false);
    expect((await say()).statusCode).toBe(409);
    await everkept.signIn(sam);
    const idle = await say();
    expect([idle.statusCode, idle.json().message]).toEqual([
      409,
      'Nobody is being asked about this person now, so there is nothing to stop.',
    ]);
  });

  test('is refused to an account that is no trustee of this owner', async () => {
    const stranger = await everkept.signUp({ firstName: 'Eve' });
    const answer = await stranger.browser.send('POST', `/api/trustee/alive/${sam.userId}`, { body: { reason } });
    expect(answer.statusCode).toBe(404);
  });
});
