import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAnchorLine } from '#server/features/audit/audit.rules.ts';
import { verifyAudit } from '#server/features/audit/audit.ts';
import { adminEmail, createEverkept, type Everkept } from '#tests/support/everkept.ts';

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept({ hasDailyTasks: true });
});
afterAll(() => everkept.close());

const subject = 'Everkept: how the audit log stands on ';
const mails = () =>
  everkept.mailer.sent.filter(({ to, subject: of }) => to.address === adminEmail && of.startsWith(subject));
const linesIn = (text: string) =>
  (text.match(/everkept-audit-anchor\s[^.]+?hmac=\S{43}/g) ?? []).flatMap((line) => readAnchorLine(line) ?? []);
const verify = () =>
  verifyAudit(
    everkept.opened,
    mails().flatMap(({ text }) => linesIn(text)),
  );

test('once a day the state of the log goes to the operator and into the log output, and later checks agree with it', async () => {
  const owner = await everkept.signUp();
  const leaver = await everkept.signUp();
  await everkept.live(3);
  expect(mails().length).toBeGreaterThanOrEqual(3);
  const days = mails().map(({ subject: of }) => of.slice(subject.length));
  expect(new Set(days).size).toBe(days.length);
  for (const { text, subject: of } of mails()) {
    expect(linesIn(text)).toMatchObject([{ day: of.slice(subject.length) }]);
    expect(text).not.toContain(owner.email);
  }
  const logged = everkept.log.flatMap((line) => (JSON.parse(line) as { anchor?: string }).anchor ?? []);
  expect(logged.flatMap((line) => readAnchorLine(line) ?? [])).toEqual(mails().flatMap(({ text }) => linesIn(text)));

  await everkept.signIn(leaver);
  await leaver.browser.send('DELETE', '/api/delete-account');
  await everkept.live(32);
  const { rows } = await everkept.database.pool.query('select from users where id = $1', [leaver.userId]);
  expect(rows).toEqual([]);
  const found = await verify();
  expect(found).toMatchObject({ ok: true });
  expect(found.anchors).toBeGreaterThan(60);

  await everkept.database.pool.query('delete from audit_logs where chain = $1', [owner.userId]);
  await everkept.database.pool.query('delete from audit_chains where chain = $1', [owner.userId]);
  expect(await verify()).toMatchObject({ ok: false, firstBrokenDay: days[0] });
});

test('a second call on the same day writes nothing', async () => {
  const before = [mails().length, (await verify()).anchors];
  const { rows } = await everkept.database.pool.query(
    "select count(*) from audit_logs where action = 'audit.anchored'",
  );
  await everkept.database.pool.query("update task_runs set begun_at = '2020-01-01'");
  await everkept.work();
  expect([mails().length, (await verify()).anchors]).toEqual(before);
  const after = await everkept.database.pool.query("select count(*) from audit_logs where action = 'audit.anchored'");
  expect(after.rows).toEqual(rows);
});
