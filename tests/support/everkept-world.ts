import { eq } from 'drizzle-orm';
import type { LightMyRequestResponse } from 'fastify';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { sendSomeNews } from '#server/features/admin/bulk-sender.ts';
import { confirmedContactsOf } from '#server/features/contacts/confirmed-contacts.ts';
import { exportFormatName, exportFormatVersion } from '#server/features/data-export/export-format.ts';
import { newAddressUrl } from '#server/features/delivery/mails/contact-mails.ts';
import { proposeByLink } from '#server/features/redelivery/new-address.ts';
import { addPasskey, setUpAuthenticator } from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import { createVoucher, listVoucherCodes } from '#server/features/vouchers/vouchers.ts';
import { askForLink } from '#server/features/ways-in/identity-links.ts';
import { sendDueWritingQuestions } from '#server/features/writing-questions/writing-questions.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import type { IdentityProvider } from '#server/platform/identity/identity-provider.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { trustedContacts, trusteeRelationships } from '#server/schema/contacts.tables.ts';
import { userIdentities } from '#server/schema/identities.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { writingQuestions } from '#server/schema/writing-questions.tables.ts';
import type { Route } from '#shared/contract/route.ts';
import { adminEmail, dayMs, type Everkept, type Owner } from './everkept.ts';
import { type FormGiven, samples, sendForm } from './forms.ts';
import { googleIssuer } from './google.ts';
import { signedText } from './signed-texts.ts';

/** People in every situation with a link, and a successful call of each route. */
export type World = {
  /** Verified, with a letter, a contact and a check-in link; no request is open. */
  owner: Owner;
  /** Registered and signed in, without a verified address. */
  unverified: Owner;
  /** Verified, and owner of nothing that is named below. */
  stranger: Owner;
  administrator: Owner;
  /** Account that may be deleted without effect on other tests. */
  leaver: Owner;
  /**
   * Ids of `owner`'s items; `owner` has the essential plan, and the message has an attachment. `ward` is an owner
   * whose trustee `owner` is, long enough to trigger a release. `released` is a document behind the link of that
   * name. `managed` is an owner for the administrator's actions, `bulkEmail` news to `stranger`.
   */
  ids: {
    message: string;
    payment: string;
    document: string;
    /** Two more documents, which `owner` has deleted: one to be taken back. */
    deleted: string;
    missed: string;
    contact: string;
    session: string;
    ward: string;
    released: string;
    managed: string;
    passkey: string;
    /** A provider that `owner` is linked with. */
    identity: string;
    bulkEmail: string;
    complaint: string;
    failedMail: string;
    /** A picture in the message, one more to be taken out, and one in the letter that `letter` opens. */
    enclosure: string;
    superfluous: string;
    delivered: string;
    pushDevice: string;
    /** Refused letters: one with a proposed address, the other without. */
    refused: string;
    proposed: string;
  };
  tokens: {
    /** Open sandbox checkout of `owner`. */
    checkout: string;
    invitation: string;
    checkIn: string;
    /** Contact in an open request, and contact of an owner whose letters are released. */
    portal: string;
    released: string;
    /** Contact who has confirmed while another has not, and contact in whose name an emergency was reported. */
    confirmed: string;
    emergency: string;
    /** Contact who may propose another address for the refused letters. */
    newAddress: string;
    letter: string;
    news: string;
    /** Stops the questions of `owner`. */
    questions: string;
    /** Mailed to `leaver`, whose account it would close. */
    notMe: string;
    /** Mailed to a person of their own about a provider: links it, and refuses it. */
    linkSignIn: string;
    unlinkSignIn: string;
    /** Mailed to an owner who has stopped what a contact had asked for. */
    removal: string;
    reset: string;
    verification: string;
    /** Mailed to `owner`, and still good. */
    mailbox: string;
  };
  /** A path with the ids and tokens that belong into it. */
  pathOf(name: string, route: Route): string;
};

/** Subscription of a browser. Nothing is sent to it. */
const pushSubscription = {
  endpoint: 'https://push.example/one',
  keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) },
};

/** Link that the path of a route needs. */
const tokenKinds: readonly [path: string, kind: keyof World['tokens']][] = [
  ['/api/payments/sandbox/', 'checkout'],
  ['/api/trusted-contact-invitation/', 'invitation'],
  ['/api/check-in/', 'checkIn'],
  ['/api/trusted-contact-admin/:token/documents/', 'released'],
  ['/api/trusted-contact-admin/:token/first-weeks', 'released'],
  ['/api/trusted-contact-admin/:token/take-back', 'confirmed'],
  ['/api/trusted-contact-admin/:token/not-asked', 'emergency'],
  ['/api/trusted-contact-admin/', 'portal'],
  ['/api/new-address/', 'newAddress'],
  ['/api/message-delivery/', 'letter'],
  ['/message/', 'letter'],
  ['/api/news/', 'news'],
  ['/api/not-me/', 'notMe'],
  ['/api/link-sign-in/', 'linkSignIn'],
  ['/api/unlink-sign-in/', 'unlinkSignIn'],
  ['/link-sign-in/', 'linkSignIn'],
  ['/unlink-sign-in/', 'unlinkSignIn'],
  ['/api/remove-contact/', 'removal'],
];

const idKinds: readonly [path: string, kind: keyof World['ids']][] = [
  ['/api/billing/payments/', 'payment'],
  ['/api/messages/', 'message'],
  ['/api/documents/', 'document'],
  ['/api/recently-deleted/:kind/:id/restore', 'missed'],
  ['/api/recently-deleted/', 'deleted'],
  ['/api/trusted-contact-admin/', 'released'],
  ['/api/trusted-contacts/', 'contact'],
  ['/api/user/sessions/', 'session'],
  ['/api/user/passkeys/', 'passkey'],
  ['/api/user/push-devices/', 'pushDevice'],
  ['/api/user/identities/', 'identity'],
  ['/api/trustee/', 'ward'],
  ['/api/admin/bulk-email/', 'bulkEmail'],
  ['/api/admin/complaints/', 'complaint'],
  ['/api/admin/failed-mails/', 'failedMail'],
  ['/api/admin/', 'managed'],
];

/** Links that open the portal: each answers some of its calls. */
export const portalTokens = ({ tokens }: Pick<World, 'tokens'>) => [
  tokens.portal,
  tokens.released,
  tokens.confirmed,
  tokens.emergency,
];

/** Both reminders were refused by a closed mailbox, so contacts are asked for another address of this owner. */
export async function makeUnreached({ database }: Everkept, { userId }: Pick<Owner, 'userId'>): Promise<void> {
  await database.pool.query(
    `update release_notices set email_outcome = 'tried', text_outcome = case when text_outcome is null then null else 'tried' end
    where user_id = $1 and topic in ('first_reminder', 'last_reminder')`,
    [userId],
  );
}

const askedAfterDays = 91;

/** Lives until one owner's contact is asked, another owner's letter is delivered, and a third has links of both kinds. */
export async function createWorld(everkept: Everkept): Promise<World> {
  const gone = await everkept.signUp({ firstName: 'Grace' });
  const silent = await everkept.signUp({ firstName: 'Silas' });
  await subscribe(everkept, gone);
  const released = await storeDocument(everkept, gone);
  let delivered = '';
  for (const each of [gone, silent]) {
    await each.browser.send('PUT', '/api/user/release-settings', {
      body: { releaseMethod: 'trusted_contact', inactivityDays: 90 },
    });
    const recipientEmail = `reader.${each.email}`;
    if (each === gone) {
      delivered = await enclose(everkept, each, await writeWithFile(everkept, each, recipientEmail));
      for (const name of refusedReaders) {
        const letter = { recipientEmail: `${name}.${each.email}`, visibleToTrustedContact: true };
        await everkept.write(each, letter);
      }
    }
    if (each === silent) await everkept.write(each, { recipientEmail });
    await everkept.befriend(each, { name: 'Ada Shah', email: `ada.${each.email}`, seesFirstWeeks: true });
  }
  // If another contact can agree, a proposal causes no new attempt meanwhile.
  await everkept.befriend(gone, { name: 'Tom Shah', email: `tom.${gone.email}` });
  const early = await prepareEarly(everkept);
  await everkept.live(askedAfterDays);
  await makeUnreached(everkept, silent);
  const confirm = { body: { confirmed: true, reason: 'I was at the funeral.' } };
  const releasedBy = everkept.tokenFor(`ada.${gone.email}`, '/trusted-contact-admin/');
  await gone.browser.send('POST', `/api/trusted-contact-admin/${releasedBy}/confirm-release`, confirm);
  await everkept.work();
  const { confirmed, emergency, removal } = await askEarly(everkept, early);
  const { refused, proposed, newAddress } = await refuseLetters(everkept, gone);

  const owner = await everkept.signUp({ firstName: 'Olive' });
  const unverified = await everkept.signUp({ firstName: 'Una', isVerified: false });
  const stranger = await everkept.signUp({ firstName: 'Sten' });
  const leaver = await everkept.signUp({ firstName: 'Lea' });
  await subscribe(everkept, owner);
  const message = await writeWithFile(everkept, owner, 'nell@family.example');
  const enclosure = await enclose(everkept, owner, message);
  const superfluous = await enclose(everkept, owner, message);
  const document = await storeDocument(everkept, owner);
  const [deleted, missed] = [await storeDocument(everkept, owner), await storeDocument(everkept, owner)];
  for (const id of [deleted, missed]) await owner.browser.send('DELETE', `/api/documents/${id}`);
  const invited = await owner.browser.send('POST', '/api/trusted-contacts', {
    body: { name: 'Ben Okri', email: `ben.${owner.email}` },
  });
  await everkept.work();
  await gone.browser.send('POST', '/api/reset-password', { body: { email: gone.email } });
  await everkept.work();
  const ward = await everkept.signUp({ firstName: 'Wanda' });
  await everkept.write(ward);
  await everkept.befriend(ward, { name: 'Olive Ashworth', email: owner.email });
  const monthAgo = new Date(Date.now() - 30 * dayMs);
  await everkept.database.db
    .update(trustedContacts)
    .set({ confirmedAt: monthAgo, confirmedHealthyMs: null })
    .where(eq(trustedContacts.email, owner.email));
  const isOwner = eq(trusteeRelationships.trusteeUserId, owner.userId);
  await everkept.database.db.update(trusteeRelationships).set({ createdAt: monthAgo }).where(isOwner);
  await everkept.database.db.update(users).set({ mailboxProvenAt: monthAgo }).where(eq(users.id, owner.userId));
  const administrator = await everkept.signUp({ email: adminEmail });
  const managed = await everkept.signUp({ firstName: 'Mona', isVerified: false });
  await setUpAuthenticator(owner.browser, Date.now());
  const { added } = await addPasskey(owner.browser);
  const news = { subject: 'New guides', message: 'We have written them for you.', recipients: [stranger.email] };
  const begun = await administrator.browser.send('POST', '/api/admin/bulk-email', { body: news });
  await owner.browser.send('POST', '/api/complaints', { body: { ...complaint, email: `nell.${owner.email}` } });
  const listed = await administrator.browser.send('GET', '/api/admin/complaints');
  await owner.browser.send('PUT', '/api/user/writing-questions', { body: { isWanted: true } });
  await everkept.database.db
    .update(writingQuestions)
    .set({ askedAt: monthAgo })
    .where(eq(writingQuestions.userId, owner.userId));
  await sendDueWritingQuestions(everkept.opened);
  // News go out one after another: what an earlier world left comes first.
  while ((await sendSomeNews(everkept.opened)) > 0);
  await everkept.work();
  const { identity, linkSignIn, unlinkSignIn } = await linkProviders(everkept, owner);
  const sessions = await owner.browser.send('GET', '/api/user/sessions');
  // Another device than that of the calls: a browser that is added again has a new id.
  const device = { ...pushSubscription, endpoint: 'https://push.example/of-the-owner' };
  const pushing = await owner.browser.send('POST', '/api/user/push-devices', { body: device });

  const { payment, checkout } = await pay(everkept, owner);
  const ids = {
    payment,
    message,
    document,
    deleted,
    missed,
    released,
    contact: invited.json<{ id: string }>().id,
    passkey: added.passkey.id,
    pushDevice: pushing.json<{ devices: { id: string }[] }>().devices[0]?.id ?? '',
    identity,
    session: sessions.json<{ id: string }[]>()[0]?.id ?? '',
    ward: ward.userId,
    managed: managed.userId,
    bulkEmail: begun.json<{ id: string }>().id,
    complaint: listed.json<{ id: string }[]>()[0]?.id ?? '',
    failedMail: await failMail(everkept),
    ...{ enclosure, superfluous, delivered },
    refused,
    proposed,
  };
  const tokens = {
    checkout,
    invitation: everkept.tokenFor(`ben.${owner.email}`, '/trusted-contact-accept/'),
    checkIn: everkept.tokenFor(silent.email, '/check-in/'),
    portal: everkept.tokenFor(`ada.${silent.email}`, '/trusted-contact-admin/'),
    released: releasedBy,
    confirmed,
    emergency,
    newAddress,
    removal,
    news: everkept.tokenFor(stranger.email, '/news/'),
    questions: everkept.tokenFor(owner.email, '/news/'),
    notMe: everkept.tokenFor(leaver.email, '/not-me/'),
    linkSignIn,
    unlinkSignIn,
    letter: everkept.tokenFor(`reader.${gone.email}`, '/message/'),
    reset: everkept.tokenFor(gone.email, '/reset-password/'),
    verification: everkept.tokenFor(unverified.email, '/api/verify-email'),
    mailbox: everkept.tokenFor(owner.email, '/api/verify-email'),
  };
  return {
    owner,
    unverified,
    stranger,
    administrator,
    leaver,
    ids,
    tokens,
    pathOf: (name, route) => fill(name, route.path, ids, tokens),
  };
}

/** Links an owner with a provider, and has two others asked by mail: one to press, one to refuse. */
async function linkProviders(everkept: Everkept, owner: Owner) {
  const issuer = 'https://elsewhere.example';
  const [asked, refusing] = [await everkept.signUp({ firstName: 'Lin' }), await everkept.signUp({ firstName: 'Lou' })];
  const { db } = everkept.database;
  for (const { userId, email } of [asked, refusing]) {
    await db.transaction(async (tx) => {
      const row = await lockOwnerRow(tx, userId);
      if (!row) throw new Error('Nobody is there to be asked.');
      await askForLink(everkept.opened, tx, row, {
        provider: { slug: 'elsewhere', name: 'Elsewhere' },
        identity: {
          issuer,
          subject: userId,
          email,
          isEmailVerified: true,
          isEmailDenied: false,
          givenName: null,
          familyName: null,
        },
        plan: 'free',
        origin: { ipAddress: null, userAgent: null },
        at: await everkept.opened.clock.now(tx),
      });
    });
  }
  // A provider that this installation knows: without it, the password is the only way in.
  const linked = { issuer: googleIssuer, subject: owner.userId, userId: owner.userId, email: owner.email };
  const [row] = await db.insert(userIdentities).values(linked).returning({ id: userIdentities.id });
  await everkept.work();
  return {
    identity: row?.id ?? '',
    linkSignIn: everkept.tokenFor(asked.email, '/link-sign-in/'),
    unlinkSignIn: everkept.tokenFor(refusing.email, '/unlink-sign-in/'),
  };
}

/** Three owners with short silences, whose contacts count early when they are asked. */
async function prepareEarly(everkept: Everkept) {
  const [pair, single, stopper] = [
    await everkept.signUp({ firstName: 'Pia' }),
    await everkept.signUp({ firstName: 'Sol' }),
    await everkept.signUp({ firstName: 'Stella' }),
  ] as const;
  for (const owner of [pair, single, stopper]) {
    const settings = { releaseMethod: 'trusted_contact', inactivityDays: 365 };
    await owner.browser.send('PUT', '/api/user/release-settings', { body: settings });
    await everkept.write(owner, { recipientEmail: `reader.${owner.email}` });
    await everkept.befriend(owner, { name: 'Ada Shah', email: `ada.${owner.email}` });
  }
  for (const owner of [pair, stopper])
    await everkept.befriend(owner, { name: 'Tom Shah', email: `tom.${owner.email}` });
  // A link removes no contact where fewer than two would be left.
  await everkept.befriend(stopper, { name: 'Una Shah', email: `una.${stopper.email}` });
  await everkept.database.db.update(users).set({ releaseQuorum: 2 }).where(eq(users.id, pair.userId));
  return { pair, single, stopper };
}

/** An emergency is asked for of three owners. One contact of two confirms the first, and the third owner stops theirs. */
async function askEarly(everkept: Everkept, { pair, single, stopper }: Record<'pair' | 'single' | 'stopper', Owner>) {
  for (const owner of [pair, single, stopper]) {
    const body = {
      userEmail: owner.email,
      contactEmail: `ada.${owner.email}`,
      contactName: 'Ada Shah',
      reason: 'We have not heard anything since the accident.',
    };
    await owner.browser.send('POST', '/api/emergency-activate', { body });
  }
  await everkept.work();
  const tokenOf = (owner: Owner) => everkept.tokenFor(`ada.${owner.email}`, '/trusted-contact-admin/');
  const confirmed = tokenOf(pair);
  const path = `/api/trusted-contact-admin/${confirmed}/confirm-release`;
  const answer = await pair.browser.send('POST', path, { body: { confirmed: true, reason: 'I was there.' } });
  if (answer.statusCode !== 200) throw new Error(`A yes was answered ${answer.statusCode}: ${answer.body}`);
  const stop = `/api/check-in/${everkept.tokenFor(stopper.email, '/check-in/')}`;
  await stopper.browser.send('POST', stop);
  await everkept.work();
  return { confirmed, emergency: tokenOf(single), removal: everkept.tokenFor(stopper.email, '/remove-contact/') };
}

const refusedReaders = ['nell', 'otto'];
const proposal = { address: 'otto@elsewhere.example', reason: 'He moved last year.' };

/**
 * As if the addresses of two letters had refused them permanently, which takes days of trying. For the second one the
 * contact has proposed another address.
 */
async function refuseLetters({ opened, database }: Everkept, owner: Owner) {
  const { rows } = await database.pool.query<{ id: string; request_id: string }>(
    `update message_deliveries set status = 'bounced', delivered_at = null, ended_at = created_at where user_id = $1
       and message_id in (select id from messages where user_id = $1 and attachment_path is null)
     returning id, request_id`,
    [owner.userId],
  );
  const ids = rows.map(({ id }) => id);
  await database.pool.query(
    "update messages set status = 'ready', delivered_at = null where user_id = $1 and attachment_path is null",
    [owner.userId],
  );
  const [contact] = (await confirmedContactsOf(opened, database.db, [owner.userId])).get(owner.userId) ?? [];
  const link = { requestId: rows[0]?.request_id ?? '', contactId: contact?.id ?? '' };
  const url = await newAddressUrl(opened, database.db, link, new Date());
  const [refused = '', proposed = ''] = ids;
  const newAddress = url.split('/').at(-1) ?? '';
  const origin = { ipAddress: null, userAgent: null };
  await proposeByLink(opened, { token: newAddress, letterId: proposed, ...proposal, origin });
  return { refused, proposed, newAddress };
}

/** Without a payment: what the plan allows is all that matters here. */
async function subscribe({ database }: Everkept, { userId }: Owner): Promise<void> {
  await database.db.update(users).set({ plan: 'essential' }).where(eq(users.id, userId));
}

const worldVoucher = { code: 'SPRING25', discountType: 'percentage', discountValue: 25 } as const;

/** Pays for the plan in the sandbox, and begins to change the card. There is a voucher as well. */
async function pay({ opened }: Everkept, { browser }: Owner): Promise<{ payment: string; checkout: string }> {
  const isThere = (await listVoucherCodes(opened)).some(({ code }) => code === worldVoucher.code);
  if (!isThere) await createVoucher(opened, { ...worldVoucher, maxUses: null, validFrom: null, validUntil: null });
  const wish = { plan: 'essential', billingCycle: 'monthly', finalPrice: 4.99 };
  const tokenOf = (answer: LightMyRequestResponse) =>
    answer.json<{ paymentUrl: string }>().paymentUrl.split('/').at(-1) ?? '';
  const begun = await browser.send('POST', '/api/subscriptions/create', { body: wish });
  await browser.send('POST', '/api/payments/process', { body: { checkout: tokenOf(begun), card: 'pays' } });
  const billing = await browser.send('GET', '/api/billing');
  const changing = await browser.send('POST', '/api/subscriptions/card');
  return { payment: billing.json<{ payments: { id: string }[] }>().payments[0]?.id ?? '', checkout: tokenOf(changing) };
}

/** Stores a document that trusted contacts may see. Gives its id. */
function storeDocument(everkept: Everkept, owner: Owner): Promise<string> {
  const fields = { name: 'My will', category: 'legal', visibleToTrustedContact: 'true' };
  return upload(everkept, owner, '/api/documents', { fields, file: { name: 'will.pdf', content: samples.pdf } });
}

/** Writes a letter that is ready, with a file. Gives its id. */
function writeWithFile(everkept: Everkept, owner: Owner, recipientEmail: string): Promise<string> {
  const fields = { title: 'For Nell', content: 'Put the kettle on first.', recipientEmail, status: 'ready' };
  const file = { name: 'keys.txt', content: samples.txt };
  return upload(everkept, owner, '/api/messages/with-attachment', { fields, file });
}

/** Puts a picture into a message. */
function enclose(everkept: Everkept, owner: Owner, messageId: string): Promise<string> {
  const file = { name: 'garden.png', content: samples.png };
  return upload(everkept, owner, `/api/messages/${messageId}/enclosures`, { fields: { caption: 'The garden' }, file });
}

async function upload({ app }: Everkept, { browser }: Owner, url: string, form: FormGiven): Promise<string> {
  const answer = await sendForm({ app, cookie: browser.cookie }, ['POST', url], form);
  if (answer.statusCode !== 201) throw new Error(`${url} was answered ${answer.statusCode}: ${answer.body}`);
  return answer.json<{ id: string }>().id;
}

function fill(name: string, path: string, ids: World['ids'], tokens: World['tokens']): string {
  const tokenKind = tokenKinds.find(([start]) => path.startsWith(start))?.[1];
  const idKind = idKinds.find(([start]) => path.startsWith(start))?.[1];
  const filled = path
    .replace(':token', tokenKind ? tokens[tokenKind] : '')
    .replace(/:id|:ownerUserId/, idKind ? ids[idKind] : '')
    .replace(
      ':enclosureId',
      ids[name === 'removeEnclosure' ? 'superfluous' : path.includes(':token') ? 'delivered' : 'enclosure'],
    )
    .replace(':checklistId', 'funeral')
    .replace(':provider', 'google')
    .replace(':key', 'new')
    .replace(':kind', 'document')
    .replace(':feature', 'checklists');
  if (filled.endsWith('/') || filled.includes('//') || filled.includes(':')) throw new Error(`Nothing fits ${path}.`);
  return path === '/api/trustee/messages' ? `${filled}?ownerUserId=${ids.ward}` : filled;
}

/** Caller of a successful call. */
export function callerOf(route: Pick<Route, 'access'>, { owner, administrator }: World): Owner {
  return route.access === 'administrator' ? administrator : owner;
}
/**
 * Routes that answer an earlier question which these people were not asked, or that need a person's own data. They
 * have no fixed body; their own tests show them.
 */
export const answeringRoutes: ReadonlySet<string> = new Set([
  'finishSecondStep',
  'askSecondStepPasskey',
  'loginWithPasskey',
  'reauthenticateWithPasskey',
  'confirmAuthenticator',
  'addPasskey',
  'answerRelease',
  'sayAlive',
  'sayAliveAsTrustee',
  'verifyPhone',
  'resendPhoneCode',
]);

/** Makes the receipt of the complaint a mail that failed once and is not due for years. */
async function failMail({ database }: Everkept): Promise<string> {
  const later = new Date('2100-01-01');
  const [failed] = await database.db
    .update(notifications)
    .set({ status: 'pending', attempts: 1, acceptedAt: null, endedAt: null, notBefore: later, nextAttemptAt: later })
    .where(eq(notifications.kind, 'complaints.receipt'))
    .returning({ id: notifications.id });
  if (!failed) throw new Error('No receipt was written.');
  return failed.id;
}

const complaint = {
  name: 'Nell Ames',
  email: 'nell@family.example',
  words: 'You wrote to my old address again.',
};

/** A body that each route accepts, by the route's name in the contract. */
export function bodyOf(
  name: string,
  { owner, stranger, tokens, ids }: Pick<World, 'owner' | 'stranger' | 'tokens' | 'ids'>,
): Record<string, unknown> | undefined {
  const password = 'a bag of eleven limes';
  const bodies: Record<string, Record<string, unknown>> = {
    addPushDevice: pushSubscription,
    login: { email: stranger.email, password: stranger.password },
    register: {
      email: 'new.person@people.example',
      password,
      confirmPassword: password,
      firstName: 'Nia',
      lastName: 'Reed',
    },
    resetPassword: { email: owner.email },
    completeResetPassword: { token: tokens.reset, password, confirmPassword: password },
    resendVerificationByLink: { token: tokens.verification },
    proveMailbox: { token: tokens.mailbox },
    changePassword: { currentPassword: owner.password, password, confirmPassword: password },
    updateUserProfile: { phone: '07700 900123', releaseMethod: 'inactivity', inactivityDays: 120 },
    createContact: { name: 'Cleo Marsh', email: 'cleo@people.example', phone: '07700 900124', relationship: 'Friend' },
    updateContact: { name: 'Ben Other', email: `ben.${owner.email}`, isActive: true },
    answerInvitation: { accept: false },
    createMessage: { title: 'A title', content: 'Words', recipientEmail: 'reader@people.example', status: 'ready' },
    createMessageWithAttachment: {
      title: 'A title',
      content: 'Words',
      recipientEmail: 'reader@people.example',
      status: 'ready',
    },
    updateMessageWithAttachment: {
      title: 'A third title',
      content: 'Other words',
      recipientEmail: 'other@people.example',
    },
    createDocument: { name: 'A deed', category: 'legal', description: 'Of the house', visibleToTrustedContact: false },
    updateDocument: { name: 'My will', category: 'legal', description: 'Signed', visibleToTrustedContact: true },
    searchEnvelopes: { words: 'letter' },
    searchDocuments: { words: 'will' },
    updateMessage: { title: 'Another title', content: 'Other words', recipientEmail: 'other@people.example' },
    updateReleaseSettings: { releaseMethod: 'inactivity', inactivityDays: 100 },
    updateAway: { until: null },
    updateReleasePreferences: { quorum: 2, waitingDays: 3, answerDays: 4 },
    ...answersToNothing,
    answerRelease: { take: 'back' },
    reauthenticate: { password: owner.password },
    startIdentityLink: { provider: 'google' },
    setFirstPassword: { password, confirmPassword: password },
    activateEmergency: {
      userEmail: stranger.email,
      contactEmail: `ben.${owner.email}`,
      contactName: 'Ben Okri',
      reason: 'We have not heard anything since the accident.',
    },
    giveOwnerAddress: { address: 'silas@elsewhere.example' },
    // One letter has no more than a say that costs it nothing.
    sayOfReader: { say: 'letters' },
    sendDeclined: { readerId: ids.message },
    confirmRelease: { confirmed: false, reason: 'We spoke yesterday.' },
    sayAlive: { reason: 'A long illness.' },
    sayAliveAsTrustee: { reason: 'A long illness.' },
    proposeNewAddress: { letterId: ids.refused, address: 'nell@elsewhere.example', reason: 'We spoke yesterday.' },
    answerNewAddress: { letterId: ids.proposed, address: proposal.address, agrees: true },
    createAdminUser: {
      email: 'opened.for@people.example',
      password,
      firstName: 'Opal',
      lastName: 'Reed',
      plan: 'essential',
      role: 'user',
    },
    sendComplaint: complaint,
    sendBulkEmail: { subject: 'Another guide', message: 'Words\n\nand more.', recipients: [stranger.email] },
    setNewsChoice: { wantsNews: false },
    chooseWritingQuestions: { isWanted: true },
    confirmAddress: { email: 'nell@family.example' },
    updateAdminUser: { plan: 'premium', role: 'user', isEmailVerified: true },
    deleteAccount: {},
    importData: { key: '' },
    exportData: { format: 'json', includeDocuments: false },
    validateVoucher: { code: worldVoucher.code },
    createSubscription: {
      plan: 'premium',
      billingCycle: 'annual',
      voucherCode: worldVoucher.code,
      finalPrice: 74.99,
      email: 'visitor@people.example',
    },
    changeSubscription: { plan: 'premium', billingCycle: 'monthly', finalPrice: 9.99 },
    processPayment: { checkout: tokens.checkout, card: 'pays' },
    receiveText: { From: '+447700900999', Body: 'YES', MessageSid: 'SM0000000000000000000000000000000f' },
    addEnclosure: { caption: 'Us two' },
    addOriginal: {},
    updateEnclosure: { caption: 'The pond', transcript: '', position: 1, afterParagraph: 0 },
    saveFirstWeeks: { will: 'In the safe', nation: 'scotland' },
    saveDraft: { content: 'Dear Nell', version: 0 },
    saveChecklist: { customItems: [], completedItems: [], resetAtMs: 0 },
  };
  return bodies[name];
}

const emptyKey = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' };
const emptyAnswer = { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' };
const assertion = { ticket: 'AAAA', response: { ...emptyKey, response: emptyAnswer } };

/** Well formed, and proof of nothing. */
export const answersToNothing: Record<string, Record<string, unknown>> = {
  finishSecondStep: { factor: 'authenticator', code: '123456' },
  loginWithPasskey: assertion,
  reauthenticateWithPasskey: assertion,
  confirmAuthenticator: { code: '123456' },
  verifyPhone: { code: '123456' },
  addPasskey: {
    ticket: 'AAAA',
    name: 'My phone',
    response: { ...emptyKey, response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } },
  },
};

/** A provider at which everybody owns the address that `emailOf` names. */
export function googleVouchingFor(emailOf: () => string): IdentityProvider {
  return {
    begin: async () => ({ url: '/', checks: { state: newToken(), nonce: newToken(), verifier: newToken() } }),
    complete: async () => ({
      issuer: googleIssuer,
      subject: 'one',
      email: emailOf(),
      isEmailVerified: true,
      isEmailDenied: false,
      givenName: null,
      familyName: null,
    }),
  };
}

const boundary = 'a-line-between-parts';

/** Export of a vault with one letter, as an import reads it. */
const smallExport = JSON.stringify({
  format: exportFormatName,
  version: exportFormatVersion,
  exportedAt: '2026-11-20T10:00:00.000Z',
  account: { id: '00000000-0000-4000-8000-000000000000' },
  messages: [
    {
      title: 'From another vault',
      content: 'Words',
      encryptedContent: null,
      recipientEmail: 'reader@people.example',
      category: 'personal',
      status: 'draft',
      visibleToTrustedContact: false,
      attachment: null,
      createdAt: '2026-11-19T10:00:00.000Z',
      updatedAt: '2026-11-19T10:00:00.000Z',
    },
  ],
  documents: [],
  contacts: [],
  checklists: [],
});

/** Body of a call: JSON, or the fields and a small file for a form (RFC 7578). */
export function payloadOf(
  name: string,
  route: Route,
  world: Pick<World, 'owner' | 'stranger' | 'tokens' | 'ids'>,
): Pick<Sent, 'body' | 'headers'> {
  const body = bodyOf(name, world);
  if (route.urlEncoded) return signedText(route.path, body as Record<string, string>);
  if (!takesForm(route)) return body === undefined ? {} : { body };
  const fields = Object.entries(body ?? {}).map(
    ([field, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${String(value)}\r\n`,
  );
  const [fileName, words] = fileOf(name);
  const file = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${fileName}"\r\ncontent-type: text/plain\r\n\r\n${words}\r\n`;
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${fields.join('')}${file}--${boundary}--\r\n`,
  };
}

function fileOf(name: string): [fileName: string, words: string] {
  if (name === 'importData') return ['a.txt', smallExport];
  // The head of a recording, all of it in letters (RIFF WAVE).
  // A GIF as well.
  if (name === 'addOriginal') return ['a.gif', 'GIF89a and some colours'];
  return name === 'addEnclosure' ? ['a.wav', 'RIFFwordWAVEfmt and some sound'] : ['a.txt', 'Words'];
}

export const takesForm = (route: Route): boolean => route.form !== undefined || route.urlEncoded === true;

export type Sent = {
  method: string;
  url: string;
  cookie?: string | null;
  headers?: Record<string, string>;
  /** JSON when it is no text. */
  body?: unknown;
};

let calls = 0;

/** One call as it stands, with nothing added but an address of its own, so that no budget is shared. */
export async function call({ app }: Pick<Everkept, 'app'>, sent: Sent): Promise<LightMyRequestResponse> {
  calls += 1;
  const address = `10.${(calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}`;
  const { body } = sent;
  return app.inject({
    method: sent.method as 'GET',
    url: sent.url,
    headers: {
      'x-forwarded-for': address,
      ...(sent.cookie ? { cookie: sent.cookie } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...sent.headers,
    },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}
