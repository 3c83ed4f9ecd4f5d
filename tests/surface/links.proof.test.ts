import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sendSomeNews } from '#server/features/admin/bulk-sender.ts';
import { toldActions } from '#server/features/audit/activity.words.ts';
import { receiveReturnedMail } from '#server/features/bounces/returned-mail.ts';
import { tellOfUnreadMail } from '#server/features/bounces/unread-mail.ts';
import { activateEmergency } from '#server/features/contact-portal/emergency.ts';
import { requestDeletion } from '#server/features/deletion/deletion.ts';
import { reportsStored } from '#server/features/integrity/integrity.ts';
import { nowhere } from '#server/features/release/release.test-world.ts';
import { markRestored } from '#server/features/release-health/health.ts';
import { setUpAuthenticator } from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import { sendDueWritingQuestions } from '#server/features/writing-questions/writing-questions.ts';
import { allMails, kindsEndedBy, type MailKind } from '#server/mails.ts';
import type { OutgoingMail } from '#server/platform/mail/mailer.ts';
import { createBrowser } from '#tests/support/app.ts';
import { type BarePages, createBarePages, isPage, linksIn } from '#tests/support/bare-pages.ts';
import { adminEmail, createEverkept, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { call, googleVouchingFor, makeUnreached } from '#tests/support/everkept-world.ts';
import { failureReport, mailOf } from '#tests/support/failure-reports.ts';
import { testBaseUrl } from '#tests/support/installation/test-settings.ts';

let everkept: Everkept;
/** Vouches for this address, for every visitor. */
let googleEmail = '';
const google = googleVouchingFor(() => googleEmail);
let pages: BarePages;

beforeAll(async () => {
  pages = await createBarePages();
  everkept = await createEverkept({ hasDailyTasks: true, distDir: pages.distDir, google });
});
afterAll(async () => {
  await everkept.close();
  await pages.remove();
});

/** Targets of each kind of message, besides the front page. */
const purposes: readonly [kind: RegExp, path: RegExp][] = [
  [/^accounts\.verification$/, /^\/(api\/verify-email\?token=|not-me\/)[\w-]{43}$/],
  [
    /^accounts\.(address-taken|opened-for|password-changed|identity-refused|way-removed|second-factor|recovery-code-used)$/,
    /^\/login$/,
  ],
  [/^accounts\.identity-asked$/, /^\/(un)?link-sign-in\/[\w-]{43}$/],
  [/^accounts\.identity-linked$/, /^\/(login$|unlink-sign-in\/[\w-]{43}$)/],
  [/^accounts\.mailbox-proof$/, /^\/confirm-mailbox\/[\w-]{43}$/],
  [/^accounts\.reset$/, /^\/reset-password\/[\w-]{43}$/],
  [/^admin\.bulk-email$/, /^\/news\/[\w-]{43}$/],
  [/^writing\.question$/, /^\/(login\?question=\d+|news\/[\w-]{43})$/],
  [/^messages\.ready-changes$/, /^\/login$/],
  [/^complaints\.receipt$/, /^\/privacy-policy$/],
  [/^contacts\.invitation$/, /^\/trusted-contact-accept\/[\w-]{43}$/],
  [/^contacts\.(own-trusteeship|trustee-waits)$/, /^\/login$/],
  [/^contacts\.mistake$/, /^\/$/],
  [/^contacts\.kept$/, /^\/(emergency-activation$|trusted-contact-accept\/[\w-]{43}$)/],
  [/^contacts\./, /^\/contacts$/],
  [
    /^delivery\.(held-back|reader-declined|returned|(owner-)?arrived-late)$|^operator\.|^release\.owner-freeze$|^release\.contact_(paused|alive_again|stopped|closed|released|question|not_owner|left|reply|delayed|early_review)$/,
    /^\/$/,
  ],
  [/^(delivery\.(unreachable|never-opened)|release\.(new-address|address-again))$/, /^\/new-address\/[\w-]{43}$/],
  [/^privacy\.retention-notice$/, /^\/(login$|(api\/verify-email\?token=|not-me\/)[\w-]{43}$)/],
  [/^privacy\.deletion-requested$/, /^\/login$/],
  [/^privacy\.account-restored$/, /^\/$/],
  [/^delivery\.owner-unreachable$/, /^\/messages$/],
  [/^delivery\./, /^\/message\/[\w-]{43}$/],
  [/^release\.contact_ended$/, /^\/emergency-activation$/],
  [/^release\.contact_confirmed$/, /^\/(trusted-contact-admin\/[\w-]{43})?$/],
  [/^release\.contact_asked$/, /^\/trusted-contact-admin\/[\w-]{43}$/],
  [/^release\.(owner_(welcome_back|halted)|request-refused)$/, /^\/(remove-contact\/[\w-]{43})?$/],
  [/^release\.(former_phone|early-review|other-address)$/, /^\/login$/],
  [/^release\.(owner_(claim|form_uses)|asker_removed)$/, /^\/contacts$/],
  [/^rehearsal\.copy$/, /^\/rehearsal\/letter$/],
  [/^release\./, /^\/check-in\/[\w-]{43}$/],
];

/** Call with which a page shows the purpose of its link. */
const reads: readonly [page: RegExp, api: string][] = [
  [/^\/trusted-contact-accept\/(.+)/, '/api/trusted-contact-invitation/'],
  [/^\/trusted-contact-admin\/(.+)/, '/api/trusted-contact-admin/'],
  [/^\/new-address\/(.+)/, '/api/new-address/'],
  [/^\/check-in\/(.+)/, '/api/check-in/'],
  [/^\/message\/(.+)/, '/api/message-delivery/'],
  [/^\/news\/(.+)/, '/api/news/'],
  [/^\/remove-contact\/(.+)/, '/api/remove-contact/'],
  [/^\/not-me\/(.+)/, '/api/not-me/'],
];

/** A code that is typed: it leads nowhere. */
const withoutLink: MailKind = 'accounts.phone-code';

/** Everything that is sent with a link, as `kind channel`. Mails about payments are in billing-links.test.ts. */
const everyKind = allMails
  .filter(({ kind }) => kind !== withoutLink && !kind.startsWith('billing.'))
  .flatMap(({ kind, by }) => [...(by === 'text' ? [] : [`${kind} email`]), ...(by === 'email' ? [] : [`${kind} sms`])])
  .toSorted();

type Opened = { kind: string; path: string };
const opened: Opened[] = [];
const shown = new Set<string>();
/** Kinds of mail that carried a notice of the release core. */
const carriers = new Set<string>();
let seenMails = 0;
let seenTexts = 0;
/** Every text that left, with the name that the provider gave it. */
const texted: { id: string; text: string }[] = [];

/** Opens every link that was sent since the last call, as a mail scanner would, and then the page's own call. */
async function openNewLinks(): Promise<void> {
  const columns = 'kind, channel, message_id, provider_id, notice';
  const rows = await everkept.database.pool.query(`select ${columns} from notifications`);
  for (const { kind, notice } of rows.rows) if (notice !== null) carriers.add(kind);
  const kindOf = (field: string, value: string) => rows.rows.find((row) => row[field] === value)?.kind ?? 'unknown';
  const mails = everkept.mailer.sent.slice(seenMails).map(({ text, html, messageId }) => {
    const links = linksIn(text);
    const inHtml = [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => (href ?? '').replaceAll('&amp;', '&'));
    expect(new Set(inHtml.filter((href) => href.startsWith('http')))).toEqual(new Set(links));
    return { kind: `${kindOf('message_id', messageId)} email`, links };
  });
  const texts = texted.slice(seenTexts).map(({ id, text }) => ({
    kind: `${kindOf('provider_id', id)} sms`,
    links: linksIn(text),
  }));
  seenMails = everkept.mailer.sent.length;
  seenTexts = texted.length;

  if (mails.length + texts.length === 0) return;
  const before = await dumpRows(everkept.database, { except: ['rate_limits'] });
  for (const { kind, links } of [...mails, ...texts]) {
    for (const link of links) await open(kind, link);
  }
  expect(await dumpRows(everkept.database, { except: ['rate_limits'] })).toEqual(before);
}

async function open(kind: string, link: string): Promise<void> {
  const { origin, pathname, search } = new URL(link);
  expect(origin).toBe(testBaseUrl);
  opened.push({ kind, path: pathname + search });
  const head = await call(everkept, { method: 'HEAD', url: pathname + search });
  // The one link that acts when it is opened; looking at it with HEAD, as scanners do, must not.
  if (pathname === '/api/verify-email') return expect(head.statusCode).toBe(302);

  expect(head.statusCode).toBe(200);
  const page = await call(everkept, { method: 'GET', url: pathname + search });
  expect([pathname, page.statusCode, page.body]).toEqual([pathname, 200, pathname === '/' ? 'landing' : 'shell']);
  expect(isPage(pathname), `${kind} leads to ${pathname}`).toBe(true);

  const read = reads.find(([start]) => start.test(pathname));
  if (!read) return;
  const answer = await call(everkept, { method: 'GET', url: read[1] + (read[0].exec(pathname)?.[1] ?? '') });
  // A link may be dead by the time it is opened, since days were lived through; then the page says so.
  const errors = everkept.log.filter((line) => /"level":(50|60)/.test(line));
  expect([200, 404, 409], errors.join('\n')).toContain(answer.statusCode);
  if (answer.statusCode === 200) shown.add(kind);
}

const bouncing = /^bounces\./;
/** Takes nothing for now, and is gone later. */
const slow = /^slow\./;
let isSlowGone = false;
/** Address whose letter is being handed over when `whileLeaving` runs. */
const leaving = /^leaving\./;
let whileLeaving: (() => Promise<unknown>) | null = null;
let phones = 0;
type Life = Owner & { ada: string; ben: string; adaId: string };

/** An owner with a phone, two contacts or only Ada, and a letter. */
async function settled(firstName: string, { isAdaAlone = false } = {}): Promise<Life> {
  const owner = await everkept.signUp({ firstName });
  const [ada, ben] = [`ada.${owner.email}`, `ben.${owner.email}`];
  const { browser } = owner;
  const profile = { releaseMethod: 'trusted_contact', inactivityDays: 90 };
  await browser.send('PUT', '/api/user-profile', { body: profile });
  await everkept.givePhone(owner, `07700 9001${String(10 + phones++)}`);
  await everkept.write(owner, { recipientEmail: `reader.${owner.email}` });
  const adaId = await everkept.befriend(owner, { name: 'Ada Shah', email: ada, phone: '07700 900124' });
  if (!isAdaAlone) await everkept.befriend(owner, { name: 'Ben Okri', email: ben });
  await openNewLinks();
  return { ...owner, ada, ben, adaId };
}

async function answerPortal(address: string, confirmed: boolean): Promise<void> {
  const url = `/api/trusted-contact-admin/${everkept.tokenFor(address, '/trusted-contact-admin/')}/confirm-release`;
  const headers = { 'sec-fetch-site': 'same-origin' };
  const answer = await call(everkept, { method: 'POST', url, headers, body: { confirmed, reason: 'We met today.' } });
  expect(answer.statusCode).toBe(200);
}

/** The newest such mail is answered by email. */
async function replyTo(address: string, subject: string): Promise<void> {
  const mail = everkept.mailer.sent.findLast((each) => each.to.address === address && each.subject.includes(subject));
  const lines = [`From: ${address}`, `In-Reply-To: ${mail?.messageId}`, 'Subject: Re: yours', '', 'I am here.'];
  expect(await receiveReturnedMail(everkept.opened, mailOf(lines))).toBe('reply');
  await work();
}

/** No reminder reached the owner, and a contact gives another address of the owner. */
async function giveAddress(owner: Life): Promise<void> {
  await makeUnreached(everkept, owner);
  const url = `/api/trusted-contact-admin/${everkept.tokenFor(owner.ada, '/trusted-contact-admin/')}/owner-address`;
  const headers = { 'sec-fetch-site': 'same-origin' };
  const body = { address: `elsewhere.${owner.email}` };
  expect((await call(everkept, { method: 'POST', url, headers, body })).statusCode).toBe(200);
  await work();
}

/** Proposes an address for a refused letter; the other contacts and the owner are emailed. */
async function proposeAddress(address: string, proposed = 'reader@elsewhere.example'): Promise<void> {
  const url = `/api/new-address/${everkept.tokenFor(address, '/new-address/')}`;
  const page = (await call(everkept, { method: 'GET', url })).json<{ letters: { id: string }[] }>();
  const body = { letterId: page.letters[0]?.id, address: proposed, reason: 'We met last week.' };
  const headers = { 'sec-fetch-site': 'same-origin' };
  const answer = await call(everkept, { method: 'POST', url: `${url}/proposals`, headers, body });
  expect(answer.statusCode).toBe(200);
  await work();
}

async function live(days: number): Promise<void> {
  await everkept.live(days);
  await openNewLinks();
}

async function work(): Promise<void> {
  await everkept.work();
  await openNewLinks();
}

async function signInWithGoogle(email: string): Promise<void> {
  googleEmail = email;
  const browser = createBrowser(everkept.app);
  await browser.send('GET', '/api/auth/google');
  await browser.send('GET', '/api/auth/google/callback');
  await work();
}

/** Allows the provider that a mail asks about, and removes it again. */
async function linkAndUnlink({ browser, email, userId }: Owner): Promise<void> {
  await work();
  await browser.send('POST', `/api${everkept.linkTo(email, '/link-sign-in/')}`);
  await work();
  const { rows } = await everkept.database.pool.query('select id from user_identities where user_id = $1', [userId]);
  expect((await browser.send('DELETE', `/api/user/identities/${rows[0]?.id}`)).statusCode).toBe(204);
  await work();
}

async function liveWithAccount(): Promise<void> {
  const owner = await everkept.signUp({ isVerified: false });
  await openNewLinks();
  // Opens the link like a scanner: it does not prove that the owner reads the mail.
  await call(everkept, { method: 'GET', url: everkept.linkTo(owner.email, '/api/verify-email') });
  await signInWithGoogle(owner.email);
  await owner.browser.send('GET', everkept.linkTo(owner.email, '/api/verify-email'));
  await signInWithGoogle(owner.email);
  await linkAndUnlink(owner);
  const { email, password } = owner;
  const taken = { email, password, confirmPassword: password, firstName: 'Sam', lastName: 'Ashworth' };
  await owner.browser.send('POST', '/api/register', { body: taken });
  await owner.browser.send('POST', '/api/reset-password', { body: { email } });
  await work();
  const body = {
    currentPassword: password,
    password: 'eleven limes in a bag',
    confirmPassword: 'eleven limes in a bag',
  };
  await owner.browser.send('PUT', '/api/user/password', { body });
  const { recoveryCodes } = await setUpAuthenticator(owner.browser, Date.now());
  await owner.browser.send('POST', '/api/login', { body: { email, password: body.password } });
  const proof = { factor: 'recovery', code: recoveryCodes[0] };
  await owner.browser.send('POST', '/api/login/second-factor', { body: proof });
  const declining = { name: 'Cleo Marsh', email: `cleo.${email}` };
  await owner.browser.send('POST', '/api/trusted-contacts', { body: declining });
  await owner.browser.send('POST', '/api/trusted-contacts', { body: { name: 'Pia Katz', email: `policed.${email}` } });
  await owner.browser.send('POST', '/api/trusted-contacts', { body: { name: 'Dov Katz', email: `bounces.${email}` } });
  await work();
  const url = `/api/trusted-contact-invitation/${everkept.tokenFor(declining.email, '/trusted-contact-accept/')}`;
  await owner.browser.send('POST', url, { body: { accept: false } });
  await work();
  // Refused when no other mail is on its way, so that one to the operator finds out what that means.
  await live(1);
  await owner.browser.send('POST', '/api/user/reauthenticate', { body: { password: body.password } });
  await owner.browser.send('POST', '/api/trusted-contacts', {
    body: { name: 'Eve Katz', email: `bounces.e.${email}` },
  });
  await work();
}

/** A contact opens an account, a scanner follows its link, and the contact shows later that they read their mailbox. */
async function liveAsTrustee(): Promise<void> {
  const owner = await settled('Olga');
  const { browser, email } = await everkept.signUp({ firstName: 'Ada', email: owner.ada, isVerified: false });
  await openNewLinks();
  await call(everkept, { method: 'GET', url: everkept.linkTo(email, '/api/verify-email') });
  await work();
  await browser.send('POST', '/api/user/mailbox-proof');
  await work();
  const body = { token: everkept.tokenFor(email, '/confirm-mailbox/') };
  await browser.send('POST', '/api/user/mailbox-proof/confirm', { body });
  await work();
}

/** A contact is invited for an account that its mailbox has reported as not its own. */
async function liveUntilDisowned(): Promise<void> {
  const stranger = await everkept.signUp({ isVerified: false });
  const { browser, email } = stranger;
  await browser.send('POST', '/api/trusted-contacts', { body: { name: 'Ida Lee', email: `ida.${email}` } });
  await openNewLinks();
  await call(everkept, { method: 'GET', url: everkept.linkTo(email, '/api/verify-email') });
  await work();
  const headers = { 'sec-fetch-site': 'same-origin' };
  const said = await call(everkept, { method: 'POST', url: `/api${everkept.linkTo(email, '/not-me/')}`, headers });
  expect(said.json()).toEqual({ goesAt: null });
  await work();
}

/** Silence, a "no", a second round, two confirmations, a wait, letters, and their links running out. */
async function liveToTheEnd(): Promise<void> {
  const owner = await settled('Grace');
  await owner.browser.send('PUT', '/api/release/preferences', { body: { quorum: 2, waitingDays: 2, answerDays: 7 } });
  await everkept.write(owner, { recipientEmail: `bounces.${owner.email}`, visibleToTrustedContact: true });
  await everkept.database.pool.query("update users set plan = 'essential' where id = $1", [owner.userId]);
  const damaged = await everkept.write(owner);
  await everkept.database.pool.query('update messages set content = title where id = $1', [damaged]);
  await live(61);
  await replyTo(owner.email, 'we have not heard from you');
  await live(30);
  await replyTo(owner.ada, 'please tell us what you know');
  await giveAddress(owner);
  await answerPortal(owner.ada, false);
  await work();
  await live(31);
  await answerPortal(owner.ada, true);
  await answerPortal(owner.ben, true);
  await live(1);
  await live(2);
  await live(8);
  await proposeAddress(owner.ada);
  await restore(() => live(4));
  await proposeAddress(owner.ada);
  await live(30);
  const token = everkept.tokenFor(`reader.${owner.email}`, '/message/');
  const headers = { 'sec-fetch-site': 'same-origin' };
  await call(everkept, { method: 'POST', url: `/api/message-delivery/${token}/renew`, headers });
  await work();
}

/** The only contact proposes a mailbox of her own, and a restore finds a letter that has not left yet. */
async function liveWithOneContact(): Promise<void> {
  const owner = await settled('Nina', { isAdaAlone: true });
  await everkept.database.pool.query("update users set plan = 'premium' where id = $1", [owner.userId]);
  await everkept.write(owner, { recipientEmail: `reader.${owner.email}`, deliverOn: { months: 6 } });
  for (const name of ['bounces', 'slow']) {
    await everkept.write(owner, { recipientEmail: `${name}.${owner.email}`, visibleToTrustedContact: true });
  }
  await live(91);
  await answerPortal(owner.ada, true);
  await live(4);
  await sayNoMore(`reader.${owner.email}`);
  await proposeAddress(owner.ada, owner.ada);
  await restore(() => live(4));
}

/** Both contacts must confirm, and one of them leaves the role when they are asked. Another owner is ill, not dead. */
async function liveWithFewerContacts(): Promise<void> {
  const owner = await settled('Nell');
  const ill = await settled('Hugo');
  await owner.browser.send('PUT', '/api/release/preferences', { body: { quorum: 2, waitingDays: 3, answerDays: 7 } });
  await live(91);
  const url = `/api/trusted-contact-invitation/${everkept.tokenFor(owner.ben, '/trusted-contact-accept/')}`;
  const headers = { 'sec-fetch-site': 'same-origin' };
  const answer = await call(everkept, { method: 'POST', url, headers, body: { accept: false } });
  expect(answer.statusCode).toBe(200);
  await work();
  await sayAlive(ill.ada);
  await live(31);
  await sayAlive(ill.ada);
}

/** The reader of a letter wants no further ones, and one waits for its day. */
async function sayNoMore(address: string): Promise<void> {
  const url = `/api/message-delivery/${everkept.tokenFor(address, '/message/')}/say`;
  const headers = { 'sec-fetch-site': 'same-origin' };
  const answer = await call(everkept, { method: 'POST', url, headers, body: { say: 'no-more' } });
  expect(answer.statusCode).toBe(200);
  await work();
}

/** Answers the newest question to a contact with “alive, but can’t answer”. */
async function sayAlive(address: string): Promise<void> {
  const url = `/api/trusted-contact-admin/${everkept.tokenFor(address, '/trusted-contact-admin/')}/alive`;
  const headers = { 'sec-fetch-site': 'same-origin' };
  const answer = await call(everkept, { method: 'POST', url, headers, body: { reason: 'A long illness.' } });
  expect(answer.statusCode).toBe(200);
  await work();
}

async function liveAndComeBack(): Promise<void> {
  const early = await settled('Edith');
  await everkept.releases.freezeOwner(early.email);
  await everkept.releases.resumeOwner(early.email);
  const [late, well] = [await settled('Laura'), await settled('Wendy')];
  await late.browser.send('POST', '/api/release/rehearsal/send');
  await everkept.write(late, { recipientEmail: `slow.${late.email}` });
  const hasty = await settled('Hattie');
  await everkept.write(hasty, { recipientEmail: `leaving.${hasty.email}` });
  await live(91);
  await everkept.signIn(early);
  const button = `/api${everkept.linkTo(hasty.email, '/check-in/')}`;
  const headers = { 'sec-fetch-site': 'same-origin' };
  whileLeaving = () => call(everkept, { method: 'POST', url: button, headers });
  for (const { ada } of [late, well, hasty]) await answerPortal(ada, true);
  await work();
  // A question that had been accepted comes back when letters have left.
  const isAsk = ({ to, subject }: OutgoingMail) => to.address === late.ben && /tell us what you know/.test(subject);
  const { returnPath } = everkept.mailer.sent.findLast(isAsk) ?? {};
  expect(await receiveReturnedMail(everkept.opened, failureReport({ returnPath, address: late.ben }))).toBe(
    'taken_back',
  );
  for (const owner of [late, well]) await everkept.signIn(owner);
  await live(1.1);
  await late.browser.send('POST', '/api/release/answer', { body: { take: 'leave' } });
  isSlowGone = true;
  await well.browser.send('POST', '/api/release/answer', { body: { take: 'not-me' } });
  await work();
  await everkept.signIn(well);
  await well.browser.send('POST', '/api/release/answer', { body: { take: 'back' } });
  await live(1);
}

/** An early release to many new mailboxes waits for the operator. */
async function liveUntilAReview(): Promise<void> {
  const owner = await everkept.signUp({ firstName: 'Gwen' });
  const recipients = Array.from({ length: 11 }, (_, index) => ({ email: `new${index}.${owner.email}` }));
  const body = { title: 'For all', content: 'Be kind.', category: 'family', status: 'ready', recipients };
  expect((await owner.browser.send('POST', '/api/messages', { body })).statusCode).toBe(201);
  const contactId = await everkept.befriend(owner, { name: 'Una Reed', email: 'una@trusted.example' });
  await live(4);
  const request = { ownerId: owner.userId, contactId, origin: nowhere };
  expect(await everkept.releases.pressTrustee(request)).toBeNull();
  await work();
  await everkept.database.pool.query('delete from users where id = $1', [owner.userId]);
}

/** A free account has written to ten mailboxes. Another address for one of them waits for the operator. */
async function liveUntilANewAddressIsReviewed(): Promise<void> {
  const owner = await everkept.signUp({ firstName: 'Nye' });
  const readers = [...Array.from({ length: 9 }, (_, index) => `first${index}`), 'bounces.first'];
  const recipients = readers.map((name) => ({ email: `${name}.${owner.email}` }));
  const letter = { title: 'For all', content: 'Be kind.', category: 'family', status: 'ready' };
  const body = { ...letter, recipients, visibleToTrustedContact: true };
  expect((await owner.browser.send('POST', '/api/messages', { body })).statusCode).toBe(201);
  const contact = { name: 'Ivy Reed', email: `ivy.${owner.email}` };
  const contactId = await everkept.befriend(owner, contact);
  await live(4);
  const request = { ownerId: owner.userId, contactId, origin: nowhere };
  expect(await everkept.releases.pressTrustee(request)).toBeNull();
  await live(3.5);
  await everkept.writeToNeighbour(owner.email, 5);
  await live(4);
  await proposeAddress(contact.email, 'somebody@elsewhere.example');
  await everkept.database.pool.query('delete from users where id = $1', [owner.userId]);
}

/** Sends the emergency form. */
async function askByForm(body: Parameters<typeof activateEmergency>[1]['body']): Promise<void> {
  await activateEmergency(everkept.opened, { principal: null, origin: nowhere, body });
}

/** The owner stops an early request, and removes the contact who asked by the link in the mail. */
async function liveUntilAskerIsRemoved(): Promise<void> {
  const owner = await settled('Rose');
  await everkept.befriend(owner, { name: 'Cy Marsh', email: `cy.${owner.email}` });
  await live(4);
  const addresses = { userEmail: owner.email, contactEmail: owner.ada };
  const claim = { contactName: 'Ada Shah', reason: 'Nothing was heard for a week.' };
  await askByForm({ ...addresses, ...claim });
  await work();
  const headers = { 'sec-fetch-site': 'same-origin' };
  const press = async (path: string) => {
    const url = `/api${everkept.linkTo(owner.email, path)}`;
    expect((await call(everkept, { method: 'POST', url, headers })).statusCode).toBe(200);
    await work();
  };
  await press('/check-in/');
  await press('/remove-contact/');
}

/** Early requests by other people. */
async function liveThroughEarlyRequests(): Promise<void> {
  const [emergency, trustee, changed] = [await settled('Emma'), await settled('Tara'), await settled('Fay')];
  const { releases } = everkept;
  const again = { contactName: 'Ada Shah', reason: 'There was an accident on Friday.' };
  const addresses = { userEmail: emergency.email, contactEmail: emergency.ada };
  await askByForm({ ...addresses, ...again });
  await live(4);
  await everkept.signIn(changed);
  await changed.browser.send('PUT', '/api/user-profile', { body: { phone: null } });
  for (const { userId, adaId } of [emergency, changed]) {
    expect(await releases.requestEmergency({ ownerId: userId, contactId: adaId, origin: nowhere })).toBeNull();
  }
  await askByForm({ ...addresses, ...again });
  await work();
  // A no ends the request, and another contact opens a new one on the same day.
  await answerPortal(emergency.ada, false);
  await askByForm({ ...addresses, contactEmail: emergency.ben, ...again });
  await everkept.signIn(trustee);
  await trustee.browser.send('PUT', '/api/release/preferences', { body: { quorum: 1, waitingDays: 3, answerDays: 7 } });
  expect(
    await releases.pressTrustee({ ownerId: trustee.userId, contactId: trustee.adaId, origin: nowhere }),
  ).toBeNull();
  await work();
  await live(1.1);
  await liveThroughDeletion(emergency);
  await liveThroughRestore(trustee);
}

/** One mailbox confirms for more owners than can be right. */
async function liveUntilAMailboxIsHeld(): Promise<void> {
  const asked = [];
  for (const firstName of ['Fay', 'Fern', 'Finn', 'Flo']) {
    const owner = await everkept.signUp({ firstName });
    await everkept.write(owner, { recipientEmail: `reader.${owner.email}` });
    const contactId = await everkept.befriend(owner, { name: 'Tess Lane', email: 'tess@trusted.example' });
    asked.push({ ownerId: owner.userId, contactId, origin: nowhere });
  }
  await live(4);
  for (const request of asked) expect(await everkept.releases.pressTrustee(request)).toBeNull();
  await work();
  await everkept.database.pool.query('delete from users where id = any($1)', [asked.map(({ ownerId }) => ownerId)]);
}

/** Restore during an owner's waiting time. */
async function liveThroughRestore(owner: Owner): Promise<void> {
  await restore(() => everkept.signIn(owner));
}

/** Effects of a restore on the database, and its end after `meanwhile`. */
async function restore(meanwhile: () => Promise<unknown>): Promise<void> {
  await everkept.database.db.transaction((tx) => markRestored(tx, { backupAt: new Date() }));
  await work();
  await meanwhile();
  await work();
  expect(await everkept.releases.resume()).toBe('done');
}

/** Notices before deletion: an idle account, an ended plan, a delivered letter. */
async function liveUntilSomethingGoes(): Promise<void> {
  const change = (owner: Owner, columns: string) =>
    everkept.database.pool.query(`update users set ${columns} where id = $1`, [owner.userId]);
  const [idle, lapsed, writer] = [await everkept.signUp(), await everkept.signUp(), await everkept.signUp()];
  await change(await everkept.signUp({ isVerified: false }), "created_at = now() - interval '21 days'");
  await change(idle, "last_checkin_at = now() - interval '4 years'");
  await change(lapsed, "plan = 'essential'");
  for (const title of ['one', 'two', 'three']) await everkept.write(lapsed, { title, status: 'draft' });
  await change(lapsed, "plan = 'free', subscription_end = now() - interval '200 days'");
  const letter = await everkept.write(writer);
  const delivered =
    "update messages set status = 'delivered', delivered_at = now() - interval '400 days' where id = $1";
  await everkept.database.pool.query(delivered, [letter]);
  const seen = opened.length;
  await live(2);
  const notices = opened.slice(seen).filter(({ kind }) => kind.startsWith('privacy.retention-notice'));
  expect(notices.filter(({ path }) => path === '/login')).toHaveLength(3);
  const answers = notices
    .filter(({ path }) => path !== '/' && path !== '/login')
    .map(({ path }) => path.split(/[?/]/)[1]);
  expect(answers.toSorted()).toEqual(['api', 'not-me']);
}

/** Deletion of an account with an open request, and its undoing. */
async function liveThroughDeletion(owner: Owner): Promise<void> {
  const { database } = everkept;
  await database.db.transaction((tx) => requestDeletion(everkept.opened, tx, { userId: owner.userId, cause: 'owner' }));
  await work();
  await everkept.signIn(owner);
  await owner.browser.send('POST', '/api/user/restore');
  await work();
}

/** More owners than may be released on one day. */
async function liveUntilTheBreaker(): Promise<void> {
  await liveAsAdministrator();
  await everkept.database.pool.query('delete from users');
  for (let index = 0; index < 11; index += 1) {
    const owner = await everkept.signUp();
    await owner.browser.send('PUT', '/api/user/release-settings', {
      body: { releaseMethod: 'inactivity', inactivityDays: 90 },
    });
    await everkept.write(owner);
  }
  await live(91);
  await live(3);
}

/** Mails that the administrator sends to people, and mails to the administrator. */
async function liveAsAdministrator(): Promise<void> {
  const administrator = await everkept.signUp({ email: adminEmail });
  const { browser } = administrator;
  const body = { email: 'nia@opened.example', password: 'a bag of eleven limes', firstName: 'Nia', lastName: 'Reed' };
  await browser.send('POST', '/api/admin/users', { body });
  const news = { subject: 'New guides', message: 'We have written them for you.', recipients: [body.email] };
  await browser.send('POST', '/api/admin/bulk-email', { body: news });
  await sendSomeNews(everkept.opened);
  await browser.send('PUT', '/api/user/writing-questions', { body: { isWanted: true } });
  await everkept.database.pool.query("update writing_questions set asked_at = asked_at - interval '31 days'");
  await sendDueWritingQuestions(everkept.opened);
  const complaint = { name: 'Nell Ames', email: 'nell@letters.example', words: 'You wrote to my old address again.' };
  await browser.send('POST', '/api/complaints', { body: complaint });
  const letter = await everkept.write(administrator);
  await everkept.database.pool.query("update messages set title = 'damaged' where id = $1", [letter]);
  await browser.send('GET', '/api/messages');
  await reportsStored(everkept.opened);
  await tellOfUnreadMail(everkept.opened, { why: 'too_costly', uid: 7 }, 'one');
  await everkept.work();
  await openNewLinks();
}

/** An owner without contacts: the operator is notified of undeliverable mail. */
async function liveAlone(): Promise<void> {
  await everkept.database.pool.query('delete from users');
  const owner = await everkept.signUp();
  const body = { releaseMethod: 'inactivity', inactivityDays: 90 };
  await owner.browser.send('PUT', '/api/user/release-settings', { body });
  for (const name of ['reader', 'bounces']) await everkept.write(owner, { recipientEmail: `${name}.${owner.email}` });
  await live(91);
  await live(8);
  await live(8);
}

/** Silence asks a contact, and an outage moves the notified day. No email reaches an owner without contacts. */
async function liveUntilALaterDay(): Promise<void> {
  await everkept.database.pool.query('delete from users');
  const owner = await everkept.signUp();
  const unreached = await everkept.signUp();
  await everkept.givePhone(owner, '07700 900321');
  for (const each of [owner, unreached]) {
    const body = { releaseMethod: 'inactivity', inactivityDays: 90 };
    await each.browser.send('PUT', '/api/user/release-settings', { body });
    await everkept.write(each);
  }
  await everkept.befriend(owner, { name: 'Ada Shah', email: `ada.${owner.email}` });
  await everkept.database.pool.query("update users set email = 'policed.alone@letters.example' where id = $1", [
    unreached.userId,
  ]);
  await live(91);
  await everkept.jump(10);
  await live(2);
  await live(40);
}

/** One mail is refused, and nothing else was accepted for hours. */
async function liveWithoutMail(): Promise<void> {
  await everkept.jump(0.25);
  await everkept.signUp({ email: 'bounces.nobody@letters.example', isVerified: false });
  await everkept.work();
  await openNewLinks();
}

// Lives of several owners take minutes.
vi.setConfig({ testTimeout: 30 * 60_000 });

test('every link in every kind of mail and text opens the right page, and opening it changes nothing', async () => {
  everkept.texter.answer(({ text }) => {
    const id = `text-${texted.length + 1}`;
    texted.push({ id, text });
    return { outcome: 'accepted', providerId: id };
  });
  everkept.mailer.answer(async ({ to: { address } }) => {
    if (leaving.test(address)) await whileLeaving?.();
    if (address.startsWith('policed.')) return { outcome: 'temporary', replyCode: 550, isTrouble: true };
    if (slow.test(address) && !isSlowGone) return { outcome: 'temporary', replyCode: 451 };
    return bouncing.test(address) || slow.test(address)
      ? { outcome: 'refused', replyCode: 550 }
      : { outcome: 'accepted' };
  });
  await liveWithAccount();
  await liveAsTrustee();
  await liveUntilDisowned();
  await liveToTheEnd();
  await everkept.database.pool.query('delete from users');
  await liveWithOneContact();
  await liveWithFewerContacts();
  await everkept.database.pool.query('delete from users');
  await liveAndComeBack();
  await liveUntilAskerIsRemoved();
  await liveUntilAReview();
  await liveUntilANewAddressIsReviewed();
  await liveThroughEarlyRequests();
  await liveUntilAMailboxIsHeld();
  await liveUntilSomethingGoes();
  await liveAlone();
  await liveUntilALaterDay();
  await liveUntilTheBreaker();
  await liveWithoutMail();

  const { rows: logged } = await everkept.database.pool.query(
    'select distinct action from audit_logs where user_id is not null',
  );
  expect(logged.map(({ action }) => action).filter((action) => !toldActions.has(action))).toEqual([]);

  const kinds = [...new Set(opened.map(({ kind }) => kind))].toSorted();
  expect(
    everyKind.filter((kind) => !kinds.includes(kind)),
    'kinds of mail that nothing in these lives has caused',
  ).toEqual([]);
  expect(kinds).toEqual(everyKind);
  for (const kind of kinds) {
    const paths = opened.filter((one) => one.kind === kind).map(({ path }) => path);
    const purpose = purposes.find(([pattern]) => pattern.test(kind.split(' ')[0] ?? ''))?.[1] ?? /never/;
    expect(
      paths.some((path) => purpose.test(path)),
      `${kind}: ${paths.join(', ')}`,
    ).toBe(true);
  }
  const readable = kinds.filter((kind) =>
    opened.some((one) => one.kind === kind && reads.some(([start]) => start.test(one.path))),
  );
  expect([...shown].toSorted()).toEqual(readable);
  expect([...carriers].toSorted()).toEqual(kindsEndedBy('notice withdrawn').toSorted());
});
