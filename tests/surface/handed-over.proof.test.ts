import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSmtpMailer } from '#server/platform/mail/smtp-mailer.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { startMailServer, type TestMailServer } from '#tests/support/servers/mail-server.ts';

/* An owner comes back while the first letter is being handed over to a real mail server, which takes its time. */

const priya = 'priya@friends.example';
const nell = 'nell@family.example';

/** A pause of the mail server for Nell's mail, until it is continued. */
class Delay {
  readonly #arrived = Promise.withResolvers<void>();
  readonly #going = Promise.withResolvers<void>();
  arrived = this.#arrived.promise;
  proceed = this.#going.resolve;

  wait(): Promise<void> {
    this.#arrived.resolve();
    return this.#going.promise;
  }
}

let server: TestMailServer;
let everkept: Everkept;
let ruth: Owner;
let beforeMail: Delay | null;
let beforeAnswer: Delay | null;

beforeEach(async () => {
  [beforeMail, beforeAnswer] = [null, null];
  server = await startMailServer({
    beforeRecipient: async (address) => void (address === nell && (await beforeMail?.wait())),
    beforeAnswer: async ({ envelope }) => void (envelope.to.includes(nell) && (await beforeAnswer?.wait())),
  });
  const carrier = createSmtpMailer({ url: server.url, from: 'Everkept <hello@everkept.example>' });
  everkept = await createEverkept({ carrier });
  ruth = await everkept.signUp({ firstName: 'Ruth', lastName: 'Amos' });
  await everkept.write(ruth, { recipientEmail: nell });
  await everkept.befriend(ruth, { name: 'Priya Shah', email: priya });
  await everkept.live(91);
  const path = everkept.linkTo(priya, '/trusted-contact-admin/').replace('/trusted-', '/api/trusted-');
  const body = { confirmed: true, reason: 'I was at the funeral.' };
  expect((await anybody().send('POST', `${path}/confirm-release`, { body })).statusCode).toBe(200);
});
afterEach(async () => {
  beforeMail?.proceed();
  beforeAnswer?.proceed();
  await everkept.close();
  await server.close();
});

const anybody = () => createBrowser(everkept.app);
const to = (address: string) => server.received.filter(({ envelope }) => envelope.to.includes(address));
const newest = (address: string) => {
  // The summary of the owner's own changes comes once a day in any case.
  const mail = to(address).findLast(({ mail: { subject } }) => subject !== 'Your ready messages changed')?.mail;
  return { subject: mail?.subject ?? '', text: (mail?.text ?? '').replace(/\s+/g, ' ') };
};

/** The button behind the link in the last mail to the owner. */
async function checkIn() {
  const path = everkept.linkTo(ruth.email, '/check-in/').replace('/check', '/api/check');
  const answer = await anybody().send('POST', path);
  expect(answer.statusCode).toBe(200);
  return answer.json<{ halted: unknown }>().halted;
}

test('before the mail server asks for the mail, not a byte of it leaves, and the owner is told so', async () => {
  beforeMail = new Delay();
  const working = everkept.work();
  await beforeMail.arrived;
  expect(await checkIn()).toEqual({ sent: 0, opened: 0, mayArrive: 0 });
  beforeMail.proceed();
  await working;
  await everkept.work();
  await everkept.live(2);
  expect(to(nell)).toEqual([]);
  expect(newest(priya).subject).toBe('We have heard from Ruth Amos. Nothing was sent');
  expect(newest(ruth.email).text).toContain('Nothing had been sent yet, and now nothing will be.');
});

test('behind its last byte the owner reads that it may still arrive, and a reached recipient that it can be ignored', async () => {
  beforeAnswer = new Delay();
  const working = everkept.work();
  await beforeAnswer.arrived;
  expect(await checkIn()).toEqual({ sent: 0, opened: 0, mayArrive: 1 });
  await everkept.signIn(ruth);
  const { deliveries } = (await ruth.browser.send('GET', '/api/release')).json<{ deliveries: { status: string }[] }>();
  expect(deliveries.map(({ status }) => status)).toEqual(['may_arrive']);
  beforeAnswer.proceed();
  await working;
  await everkept.work();
  expectAllTold();
  const link = everkept.linkTo(nell, '/message/').replace('/message/', '/api/message-delivery/');
  expect((await anybody().send('GET', link)).statusCode).toBe(404);
});

test('a mail whose acceptance was cut off has the same notices', async () => {
  beforeAnswer = new Delay();
  const working = everkept.work();
  await beforeAnswer.arrived;
  await checkIn();
  beforeAnswer = null;
  server.dropConnections();
  await working;
  await everkept.work();
  expectAllTold();
});

test.each([
  { notices: 'leave with the correction', isLate: false },
  { notices: 'have left already', isLate: true },
])('a mail whose worker was killed has them, too, if the notices of the check-in $notices', async ({ isLate }) => {
  beforeAnswer = new Delay();
  const working = everkept.work();
  await beforeAnswer.arrived;
  await checkIn();
  const delay = beforeAnswer;
  beforeAnswer = null;
  const carrier = createSmtpMailer({ url: server.url, from: 'Everkept <hello@everkept.example>' });
  const { database, masterKeys } = everkept;
  const other = await createEverkept({ carrier, database, masterKeys });
  if (isLate) await other.work();
  await other.jump(6 / 1_440);
  await other.work();
  expectAllTold();
  await carrier.close();
  delay.proceed();
  await working.catch(() => undefined);
  await everkept.work();
  expect(to(nell), 'nobody is told twice').toHaveLength(2);
});

test('while a release is stopped, unsent letters wait, and leave once when it continues', async () => {
  beforeMail = new Delay();
  const working = everkept.work();
  await beforeMail.arrived;
  await everkept.releases.freezeOwner(ruth.email);
  beforeMail.proceed();
  await working;
  beforeMail = null;
  await everkept.live(1);
  expect(to(nell)).toEqual([]);
  await everkept.releases.resumeOwner(ruth.email);
  await everkept.work();
  expect(to(nell)).toHaveLength(1);
  const { rows } = await everkept.database.pool.query(
    "select attempts from notifications where kind = 'delivery.letter'",
  );
  expect(rows, 'what did not leave was no attempt').toEqual([{ attempts: 1 }]);
});

function expectAllTold(): void {
  expect(to(nell).map(({ mail }) => mail.subject)).toEqual([
    'Ruth Amos wrote a message for you',
    'We have heard from Ruth Amos. Our earlier email can be ignored',
  ]);
  const subjectsTo = (address: string) => to(address).map(({ mail }) => mail.subject);
  // Mails leave in parallel, so two that were written together arrive in any order.
  expect(subjectsTo(priya)).toEqual(
    expect.arrayContaining([
      'We have heard from Ruth Amos. We have stopped the delivery',
      'We have heard from Ruth Amos. An email about a message arrived all the same',
    ]),
  );
  expect(subjectsTo(ruth.email)).toContain('An email about a message of yours arrived all the same');
  const said = [...to(priya), ...to(ruth.email)].map(({ mail }) => `${mail.subject} ${mail.text}`).join(' ');
  expect(said.replace(/\s+/g, ' ')).not.toMatch(/Nothing (was|had been) sent/);
}
