import { eq } from 'drizzle-orm';
import type { LightMyRequestResponse } from 'fastify';
import { users } from '#server/features/accounts/accounts.tables.ts';
import { trustedContacts } from '#server/features/contacts/contacts.tables.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import type { IdentityProvider } from '#server/platform/identity/identity-provider.ts';
import type { Route } from '#shared/contract/route.ts';
import { dayMs, type Everkept, type Owner } from './everkept.ts';
import { type FormGiven, samples, sendForm } from './forms.ts';

/** People in every situation in which somebody holds a link, and a call of each route that would succeed. */
export type World = {
  /** Verified, with a letter, a contact and a check-in link; nobody has asked about them. */
  owner: Owner;
  /** Registered and signed in, without a verified address. */
  unverified: Owner;
  /** Verified, and owner of nothing that is named below. */
  stranger: Owner;
  /**
   * Of `owner`, who is on the essential plan; the message has an attachment. `ward` is an owner whose trustee `owner`
   * is, for long enough to trigger a release. `released` is a document that the link of that name opens.
   */
  ids: { message: string; document: string; contact: string; session: string; ward: string; released: string };
  tokens: {
    invitation: string;
    checkIn: string;
    /** Of a contact who is asked, and of one whose owner's letters are released. */
    portal: string;
    released: string;
    letter: string;
    reset: string;
    verification: string;
  };
  /** A path with the ids and tokens that belong into it. */
  pathOf(name: string, route: Route): string;
};

/** Whose link stands in the path of a route. */
const tokenKinds: readonly [path: string, kind: keyof World['tokens']][] = [
  ['/api/trusted-contact-invitation/', 'invitation'],
  ['/api/check-in/', 'checkIn'],
  ['/api/trusted-contact-admin/:token/documents/', 'released'],
  ['/api/trusted-contact-admin/', 'portal'],
  ['/api/message-delivery/', 'letter'],
];

const idKinds: readonly [path: string, kind: keyof World['ids']][] = [
  ['/api/messages/', 'message'],
  ['/api/documents/', 'document'],
  ['/api/trusted-contact-admin/', 'released'],
  ['/api/trusted-contacts/', 'contact'],
  ['/api/user/sessions/', 'session'],
  ['/api/trustee/', 'ward'],
];

const askedAfterDays = 91;

/** Lives until one owner's contact is asked, another owner's letter is delivered, and a third has links of both kinds. */
export async function createWorld(everkept: Everkept): Promise<World> {
  const gone = await everkept.signUp({ firstName: 'Grace' });
  const silent = await everkept.signUp({ firstName: 'Silas' });
  await subscribe(everkept, gone);
  const released = await storeDocument(everkept, gone);
  for (const each of [gone, silent]) {
    await each.browser.send('PUT', '/api/user/release-settings', {
      body: { releaseMethod: 'trusted_contact', inactivityDays: 90 },
    });
    const recipientEmail = `reader.${each.email}`;
    if (each === gone) await writeWithFile(everkept, each, recipientEmail);
    else await everkept.write(each, { recipientEmail });
    await everkept.befriend(each, { name: 'Ada Shah', email: `ada.${each.email}` });
  }
  await everkept.live(askedAfterDays);
  const confirm = { body: { confirmed: true, reason: 'I was at the funeral.' } };
  const releasedBy = everkept.tokenFor(`ada.${gone.email}`, '/trusted-contact-admin/');
  await gone.browser.send('POST', `/api/trusted-contact-admin/${releasedBy}/confirm-release`, confirm);
  await everkept.work();

  const owner = await everkept.signUp({ firstName: 'Olive' });
  const unverified = await everkept.signUp({ firstName: 'Una', isVerified: false });
  const stranger = await everkept.signUp({ firstName: 'Sten' });
  await subscribe(everkept, owner);
  const message = await writeWithFile(everkept, owner, 'nell@family.example');
  const document = await storeDocument(everkept, owner);
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
    .set({ confirmedAt: monthAgo })
    .where(eq(trustedContacts.email, owner.email));
  const sessions = await owner.browser.send('GET', '/api/user/sessions');

  const ids = {
    message,
    document,
    released,
    contact: invited.json<{ id: string }>().id,
    session: sessions.json<{ id: string }[]>()[0]?.id ?? '',
    ward: ward.userId,
  };
  const tokens = {
    invitation: everkept.tokenFor(`ben.${owner.email}`, '/trusted-contact-accept/'),
    checkIn: everkept.tokenFor(silent.email, '/check-in/'),
    portal: everkept.tokenFor(`ada.${silent.email}`, '/trusted-contact-admin/'),
    released: releasedBy,
    letter: everkept.tokenFor(`reader.${gone.email}`, '/message/'),
    reset: everkept.tokenFor(gone.email, '/reset-password/'),
    verification: everkept.tokenFor(unverified.email, '/api/verify-email'),
  };
  return { owner, unverified, stranger, ids, tokens, pathOf: (_name, route) => fill(route.path, ids, tokens) };
}

/** Without a payment: what the plan allows is all that matters here. */
async function subscribe({ database }: Everkept, { userId }: Owner): Promise<void> {
  await database.db.update(users).set({ plan: 'essential' }).where(eq(users.id, userId));
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

async function upload({ app }: Everkept, { browser }: Owner, url: string, form: FormGiven): Promise<string> {
  const answer = await sendForm({ app, cookie: browser.cookie }, ['POST', url], form);
  if (answer.statusCode !== 201) throw new Error(`${url} was answered ${answer.statusCode}: ${answer.body}`);
  return answer.json<{ id: string }>().id;
}

function fill(path: string, ids: World['ids'], tokens: World['tokens']): string {
  const tokenKind = tokenKinds.find(([start]) => path.startsWith(start))?.[1];
  const idKind = idKinds.find(([start]) => path.startsWith(start))?.[1];
  const filled = path
    .replace(':token', tokenKind ? tokens[tokenKind] : '')
    .replace(/:id|:ownerUserId/, idKind ? ids[idKind] : '')
    .replace(':checklistId', 'funeral')
    .replace(':feature', 'checklists');
  if (filled.endsWith('/') || filled.includes('//') || filled.includes(':')) throw new Error(`Nothing fits ${path}.`);
  return path === '/api/trustee/messages' ? `${filled}?ownerUserId=${ids.ward}` : filled;
}

/** A body that each route accepts, by the route's name in the contract. */
export function bodyOf(
  name: string,
  { owner, stranger, tokens }: Pick<World, 'owner' | 'stranger' | 'tokens'>,
): Record<string, unknown> | undefined {
  const password = 'a bag of eleven limes';
  const bodies: Record<string, Record<string, unknown>> = {
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
    updateMessage: { title: 'Another title', content: 'Other words', recipientEmail: 'other@people.example' },
    updateReleaseSettings: { releaseMethod: 'inactivity', inactivityDays: 100 },
    updateReleasePreferences: { quorum: 2, waitingDays: 3, answerDays: 4 },
    reauthenticate: { password: owner.password },
    activateEmergency: {
      userEmail: stranger.email,
      contactEmail: `ben.${owner.email}`,
      contactName: 'Ben Okri',
      reason: 'We have not heard anything since the accident.',
    },
    confirmRelease: { confirmed: false, reason: 'We spoke yesterday.' },
    saveChecklist: { customItems: [], completedItems: [], resetAtMs: 0 },
  };
  return bodies[name];
}

/** A provider at which everybody owns the address that `emailOf` names. */
export function googleVouchingFor(emailOf: () => string): IdentityProvider {
  return {
    begin: async () => ({ url: '/', checks: { state: newToken(), nonce: newToken(), verifier: newToken() } }),
    complete: async () => ({
      issuer: 'https://identity.example',
      subject: 'one',
      email: emailOf(),
      isEmailVerified: true,
      givenName: null,
      familyName: null,
    }),
  };
}

const boundary = 'a-line-between-parts';

/**
 * What a call of this route carries: JSON, or the fields and a small file where the route takes a form (RFC 7578).
 */
export function payloadOf(
  name: string,
  route: Route,
  world: Pick<World, 'owner' | 'stranger' | 'tokens'>,
): Pick<Sent, 'body' | 'headers'> {
  const body = bodyOf(name, world);
  if (!takesForm(route)) return body === undefined ? {} : { body };
  const fields = Object.entries(body ?? {}).map(
    ([field, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${String(value)}\r\n`,
  );
  const file = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\nWords\r\n`;
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${fields.join('')}${file}--${boundary}--\r\n`,
  };
}

export const takesForm = (route: Route): boolean => 'form' in route && route.form !== undefined;

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
