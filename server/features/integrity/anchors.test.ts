import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readAnchorLine } from '#server/features/audit/audit.rules.ts';
import { verifyAudit } from '#server/features/audit/audit.ts';
import { findWarnings } from '#server/features/service-health/endings.ts';
import { dayWords, londonDay } from '#shared/rules/london-day.ts';
import { adminEmail, createEverkept, dayMs, type Everkept } from '#tests/support/everkept.ts';
import { openTestApp } from '#tests/support/installation/open-test-app.ts';
import { roomyDisk } from '#tests/support/installation/test-settings.ts';
import { readWrittenMails, type WrittenMail } from '#tests/support/installation/written-mails.ts';
import { createCertificate } from '#tests/support/tills/certificate.ts';
import { anchorToday } from './anchors.ts';

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

describe('the daily mail', () => {
  const openWith = async (environment: Record<string, string>, disk = roomyDisk) => {
    const { app, database } = await openTestApp({
      environment: { ADMIN_EMAIL: adminEmail, ...environment },
      parts: { readDisk: async () => disk },
    });
    onTestFinished(() => database.close());
    const written: WrittenMail[] = [];
    await anchorToday(app);
    await readWrittenMails(app, written)();
    const [mail] = written.filter(({ kind }) => kind === 'operator.audit-anchor');
    return { subject: mail?.mail.subject, text: mail?.mail.text.replaceAll(/\s+/g, ' ') ?? '' };
  };
  const dayIn = (days: number) => new Date(Date.parse(londonDay(Date.now())) + days * dayMs).toISOString().slice(0, 10);
  const publicAddress = { BASE_URL: 'http://192.0.2.1:1' };

  test('says that there is nothing to do while all is well', async () => {
    const { subject: of, text } = await openWith({ ENDS_DOMAIN: dayIn(100), ENDS_MAIL: dayIn(61) });
    expect(of).toMatch(/^Everkept: how the audit log stands on /);
    expect(text).toContain('There is nothing to do.');
  });

  test('warns of a domain that ends soon', async () => {
    const { subject: of, text } = await openWith({ ENDS_DOMAIN: dayIn(60), ENDS_MAIL: dayIn(100) });
    expect(of).toMatch(/^Everkept: a warning about the domain, and how the audit log stands on /);
    expect(text).toContain(`The domain ends on ${dayWords(dayIn(60))}, in 60 days. Renew it with its registrar`);
    expect(text).not.toContain('nothing to do');
    expect(linesIn(text)).toHaveLength(1);
  });

  test('warns of credentials that ended, of a disk that is nearly full, and of a key without a copy', async () => {
    const disk = { freeBytes: 5e9, totalBytes: 100e9 };
    const { subject: of, text } = await openWith({ ENDS_MAIL: dayIn(-1), ...publicAddress }, disk);
    expect(of).toMatch(/^Everkept: 3 warnings, and how the audit log stands on /);
    expect(text).toContain('The mail credentials ended on');
    expect(text).toContain('The disk of DATA_DIR has 4.7 GiB free. Free some space');
    expect(text).toContain('No copy of the master key was confirmed.');
  });

  test('warns of the certificate that visitors of the site get', async () => {
    const until = new Date(Date.now() + 5.5 * dayMs);
    const { privateKey, pem } = createCertificate('localhost', { from: new Date(Date.now() - dayMs), until });
    const before = getCACertificates('default');
    setDefaultCACertificates([pem]);
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const site = createServer({ key, cert: pem }, (_, response) => response.end('A page.')).listen(0, '127.0.0.1');
    onTestFinished(() => {
      setDefaultCACertificates(before);
      site.close();
    });
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo;
    const { subject: of, text } = await openWith({ BASE_URL: `https://localhost:${port}`, TRUST_PROXY: '127.0.0.1' });
    expect(of).toMatch(/^Everkept: a warning about the certificate, /);
    expect(text).toContain('The certificate is valid for 5 more days. Renew it');
  });

  test('comes all the same if the disk cannot be read', async () => {
    const { app, database } = await openTestApp({
      environment: { ADMIN_EMAIL: adminEmail },
      parts: { readDisk: () => Promise.reject(new Error('EIO')) },
    });
    onTestFinished(() => database.close());
    expect(await findWarnings(app)).toEqual([]);
  });
});
