import { eq } from 'drizzle-orm';
import type { App } from '#server/app.ts';
import type { Principal } from '#server/features/accounts/principal.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import { createVaultWorld, nowhere } from '#server/features/messages/vault.test-world.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { confirmedContactsOf } from './confirmed-contacts.ts';
import { deleteContact } from './contact-removal.ts';
import { type ContactInput, createContact, listContacts, resendInvitation, updateContact } from './contacts.ts';
import { answerInvitation, getInvitation } from './invitations.ts';

export const input: ContactInput = {
  name: 'Priya Shah',
  email: 'priya@example.net',
  phone: '+447700900123',
  relationship: 'Sister',
  isActive: true,
};

type OwnersCall = Parameters<typeof listContacts>[1] & { origin: RequestOrigin; changeKey?: string | undefined };

/** Use cases of contacts, called as a test likes to write them. */
export function contactCalls(app: App) {
  return {
    confirmedContacts: async (executor: Executor, userId: string) =>
      (await confirmedContactsOf(app, executor, [userId])).get(userId) ?? [],
    list: (principal: OwnersCall['principal']) => listContacts(app, { principal }),
    create: (call: OwnersCall, body: ContactInput) => createContact(app, { ...call, body }),
    update: ({ id, ...call }: OwnersCall & { id: string }, body: ContactInput) =>
      updateContact(app, { ...call, params: { id }, body }),
    remove: ({ id, version, ...call }: OwnersCall & { id: string; version?: string | undefined }) =>
      deleteContact(app, { ...call, params: { id }, query: { version } }),
    resendInvitation: ({ id, ...call }: OwnersCall & { id: string }) =>
      resendInvitation(app, { ...call, params: { id } }),
    readInvitation: (token: string) => getInvitation(app, { params: { token } }),
    answerInvitation: ({ token, accept, origin }: { token: string; accept: boolean; origin: RequestOrigin }) =>
      answerInvitation(app, { params: { token }, body: { accept }, origin }),
  };
}

let people = 0;

/** An address nobody else in this test has. */
export function newAddress(): string {
  people += 1;
  return `friend${people}@example.net`;
}

/** Contacts on a real database, with real mail that stays in memory. */
export async function createContactsWorld() {
  const world = await createVaultWorld();
  const spent: string[] = [];
  const limits = { ...world.app.limits, spend: async (name: string) => void spent.push(name) };
  const app = { ...world.app, limits };
  const contacts = contactCalls(app);

  const add = (principal: Principal, change: Partial<ContactInput> = {}) =>
    contacts.create({ principal, origin: nowhere }, { ...input, email: newAddress(), ...change });
  const change = (principal: Principal, id: string, changed: Partial<ContactInput> & { email: string }) =>
    contacts.update({ principal, origin: nowhere, id }, { ...input, ...changed });
  const remove = (principal: Principal, id: string) => contacts.remove({ principal, origin: nowhere, id });
  const resend = (principal: Principal, id: string) => contacts.resendInvitation({ principal, origin: nowhere, id });
  const answer = (token: string, accept: boolean) => contacts.answerInvitation({ token, accept, origin: nowhere });

  /** The token of the newest invitation to this address. */
  async function tokenOf(address: string): Promise<string> {
    // The mail that somebody keeps after their yes leads to the same page, and is no invitation.
    const mails = (await world.mailsTo(address)).filter(({ subject }) => subject.includes('named you'));
    const tokens = mails.flatMap(({ text }) => /\/trusted-contact-accept\/([\w-]+)/.exec(text)?.[1] ?? []);
    const newest = tokens.at(-1);
    if (!newest) throw new Error(`Nobody at ${address} was invited.`);
    return newest;
  }

  async function addAccepted(principal: Principal, changed: Partial<ContactInput> = {}) {
    const contact = await add(principal, changed);
    const token = await tokenOf(contact.email);
    await answer(token, true);
    return { ...contact, token };
  }

  async function rowOfContact(id: string) {
    const [row] = await world.db.select().from(trustedContacts).where(eq(trustedContacts.id, id));
    if (!row) throw new Error('There is no such contact.');
    return row;
  }

  return { ...world, contacts, spent, add, change, remove, resend, answer, tokenOf, addAccepted, rowOfContact };
}

export type ContactsWorld = Awaited<ReturnType<typeof createContactsWorld>>;
