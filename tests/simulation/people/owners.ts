import { randomUUID } from 'node:crypto';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import type { Principal } from '#server/features/accounts/principal.ts';
import { activateEmergency } from '#server/features/contact-portal/emergency.ts';
import { deleteContact } from '#server/features/contacts/contact-removal.ts';
import { createContact, listContacts, updateContact } from '#server/features/contacts/contacts.ts';
import { requestByOwner, restoreAccount as restore } from '#server/features/deletion/deletion.ts';
import { pressTrustee } from '#server/features/release/release-decisions.ts';
import { answerQuestion } from '#server/features/release/release-question.ts';
import { checkInByLink } from '#server/features/release-settings/checkin-links.ts';
import { getRelease } from '#server/features/release-settings/release-overview.ts';
import {
  checkin,
  stopRelease,
  updateAway,
  updateReleasePreferences,
  updateReleaseSettings,
} from '#server/features/release-settings/release-settings.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import type { Machine, Process } from '#tests/simulation/machine.ts';
import { randomOf } from '#tests/simulation/random.ts';
import { type Act, contactPlan, emailOf, happens, type OwnerPlan, type Scenario } from '#tests/simulation/scenario.ts';
import type { WorldTime } from '#tests/simulation/time.ts';
import { choose, createLetterActs } from './letters.ts';
import { newSilence, noteActivity, nowhere, type OwnerNotes, type When, whenOf } from './notes.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export type Owner = OwnerNotes & { principal: Principal };

/** An account with its first letters, as if it had been made on the first day. */
export async function createOwner(machine: Machine, time: WorldTime, plan: OwnerPlan): Promise<Owner> {
  const userId = randomUUID();
  const email = emailOf(plan);
  const at = new Date(time.wallMs());
  await machine.control.insert(users).values({
    id: userId,
    email,
    emailVerified: true,
    plan: 'lifetime',
    firstName: 'Sam',
    lastName: plan.name,
    phone: plan.phone,
    phoneNumber: plan.phone,
    phoneProvenAt: plan.phone === null ? null : at,
    lastCheckinAt: at,
    createdAt: at,
    ...plan.settings,
  });
  const vaultKey = machine.vaults.create(userId);
  await machine.control.insert(vaultKeys).values({ userId, ...vaultKey });
  return {
    plan,
    email,
    userId,
    settings: { ...plan.settings },
    letters: [],
    contacts: [],
    before: null,
    releases: [],
    undone: null,
    pressedIn: -1,
    awayUntilMs: null,
    frozen: null,
    deleted: null,
    question: null,
    leftAsItIs: 0,
    troubled: null,
    restored: null,
    addresses: [],
    ...newSilence(whenOf(time)),
    principal: {
      userId,
      sessionId: randomUUID(),
      emailVerified: true,
      plan: 'lifetime',
      vaultKey,
      authenticatedAt: at,
      secondFactorAt: null,
    },
  };
}

/** Actions of owners, through the services that their browser would call. Each resolves with the answer. */
export function createOwnerActs({ time, scenario }: { time: WorldTime; scenario: Scenario }) {
  /** An owner who changes something has just signed in. */
  const principalOf = ({ principal }: Owner): Principal => ({ ...principal, authenticatedAt: new Date(time.wallMs()) });
  const callOf = (owner: Owner) => ({ principal: principalOf(owner), origin: nowhere });
  const { write, rewrite, remove } = createLetterActs(callOf, scenario);

  async function nameContact({ app }: Process, owner: Owner): Promise<void> {
    const index = owner.contacts.length;
    const plan =
      owner.plan.contacts[index] ??
      contactPlan(randomOf(scenario.seed, owner.plan.name, 'contact', index), owner.plan.name, { index, scenario });
    owner.contacts.push({
      ...plan,
      confirmed: null,
      isActive: true,
      isRemoved: false,
      roleToken: null,
      left: null,
      unsureUntil: -1,
    });
    const { name, email, phone } = plan;
    const body = { name, email, phone, relationship: null, isActive: true };
    await createContact(app, { ...callOf(owner), body });
  }

  async function changeContact(
    { app }: Process,
    owner: Owner,
    act: { lot: number; isRemoval: boolean },
  ): Promise<boolean> {
    const note = choose(
      owner.contacts.filter(({ isRemoved }) => !isRemoved),
      act.lot,
    );
    const known = note && (await listContacts(app, owner)).find(({ email }) => email === note.email);
    if (!note || !known) return false;
    const call = { ...callOf(owner), params: { id: known.id } };
    if (act.isRemoval) {
      await deleteContact(app, { ...call, query: {} });
      note.isRemoved = true;
      note.left = whenOf(time);
      return true;
    }
    const { name, email, phone } = note;
    const isActive = !note.isActive;
    await updateContact(app, { ...call, body: { name, email, phone, relationship: null, isActive } });
    note.isActive = isActive;
    return true;
  }

  async function changeSettings({ app }: Process, owner: Owner, lot: number): Promise<void> {
    const releaseMethod = lot % 2 === 0 ? ('inactivity' as const) : ('trusted_contact' as const);
    const inactivityDays = [90, 90, 120, 180][lot % 4] ?? 90;
    await updateReleaseSettings(app, { ...callOf(owner), body: { releaseMethod, inactivityDays } });
    Object.assign(owner.settings, { releaseMethod, inactivityDays });
  }

  async function changePreferences({ app }: Process, owner: Owner, lot: number): Promise<void> {
    const [quorum, waitingDays, answerDays] = [1 + (lot % 3), [0, 3, 30][lot % 3] ?? 0, [0, 7, 30][lot % 3] ?? 7];
    await updateReleasePreferences(app, { ...callOf(owner), body: { quorum, waitingDays, answerDays } });
    const changed = { releaseQuorum: quorum, releaseWaitingDays: waitingDays, releaseAnswerDays: answerDays };
    Object.assign(owner.settings, changed);
  }

  async function signIn({ app, db }: Process, owner: Owner): Promise<void> {
    await db.transaction(async (tx) => {
      await lockOwnerRow(tx, owner.userId);
      const at = new Date(time.wallMs());
      await recordActivity(app, tx, { userId: owner.userId, type: 'login', at, origin: nowhere });
    });
  }

  /** An owner who is alive says so when they are asked; most take back what can be taken back. */
  async function answer({ app }: Process, owner: Owner, lot: number): Promise<void> {
    const { question } = await getRelease(app, { principal: owner });
    if (!question) return;
    const leaves = happens(scenario, 'strangers') && lot % 3 === 0;
    await answerQuestion(app, callOf(owner), leaves ? 'leave' : 'back');
    if (leaves) owner.leftAsItIs = owner.releases.length;
  }

  /** A person with the password. An observer can't tell from outside if it was the owner's activity. */
  async function stranger(web: Process, owner: Owner, lot: number): Promise<boolean> {
    await signIn(web, owner);
    const { question } = await getRelease(web.app, { principal: owner });
    if (!question) return true;
    owner.question = whenOf(time);
    if (lot % 2 === 0) return false;
    await answerQuestion(web.app, callOf(owner), 'not-me');
    owner.question = null;
    return false;
  }

  async function goAway({ app }: Process, owner: Owner, lot: number): Promise<void> {
    const day = new Date(time.wallMs() + (2 + (lot % 170)) * dayMs).toISOString().slice(0, 10);
    await updateAway(app, { ...callOf(owner), body: { until: day } });
    // In summer a day in London begins an hour before that of UTC.
    owner.awayUntilMs = Date.parse(day) - hourMs;
  }

  async function comeHome({ app }: Process, owner: Owner): Promise<void> {
    await updateAway(app, { ...callOf(owner), body: { until: null } });
    owner.awayUntilMs = null;
  }

  async function deleteAccount({ app }: Process, owner: Owner): Promise<void> {
    await requestByOwner(app, callOf(owner), {});
    owner.deleted = whenOf(time);
  }

  /** @returns whether it was a sign of life: of an account that stays as it was it is none. */
  async function restoreAccount({ app }: Process, owner: Owner): Promise<boolean> {
    if (!owner.deleted) return false;
    await restore(app, callOf(owner));
    owner.deleted = null;
    return true;
  }

  async function askEarly({ app }: Process, owner: Owner, { lot, kind }: Act): Promise<void> {
    const contact = choose(owner.contacts, lot);
    if (!contact) return;
    if (kind === 'emergency') {
      owner.lastEarly = whenOf(time);
      const body = {
        userEmail: owner.email,
        contactEmail: contact.email,
        contactName: contact.name,
        reason: 'He fell.',
      };
      await activateEmergency(app, { principal: null, origin: nowhere, body });
      return;
    }
    const known = (await listContacts(app, owner)).find(({ email }) => email === contact.email);
    if (!known) return;
    owner.lastEarly = whenOf(time);
    const said = { email: contact.email, says: 'yes' as const, when: whenOf(time), requestId: null };
    const note = { ...said, isSure: false, voided: null as When | null };
    owner.said.push(note);
    const press = { ownerId: owner.userId, contactId: known.id, origin: nowhere };
    const ignored = await pressTrustee(app, press);
    if (ignored) note.voided = whenOf(time);
    else note.isSure = true;
  }

  /** @returns true when it was a sign of life of the owner. */
  async function act(web: Process, owner: Owner, what: Act): Promise<boolean> {
    const { kind, lot } = what;
    if (kind === 'emergency' || kind === 'trustee') {
      await askEarly(web, owner, what);
      return false;
    }
    if (kind === 'restore account') return restoreAccount(web, owner);
    // There is nothing else to be done with an account that is to be deleted.
    if (owner.deleted) return false;
    if (kind === 'stranger') return stranger(web, owner, lot);
    if (kind === 'check in') await checkin(web.app, callOf(owner));
    if (kind === 'sign in') await signIn(web, owner);
    if (kind !== 'check in' && kind !== 'stop') await answer(web, owner, lot);
    if (kind === 'stop') await stopRelease(web.app, callOf(owner));
    if (kind === 'write') await write(web, owner, lot);
    if (kind === 'change' || kind === 'ready') return rewrite(web, owner, { lot, isReady: kind === 'ready' });
    if (kind === 'delete') return remove(web, owner, lot);
    if (kind === 'settings') await changeSettings(web, owner, lot);
    if (kind === 'preferences') await changePreferences(web, owner, lot);
    if (kind === 'go away') await goAway(web, owner, lot);
    if (kind === 'come home') await comeHome(web, owner);
    if (kind === 'delete account') {
      await deleteAccount(web, owner);
      return false;
    }
    if (kind === 'add contact') await nameContact(web, owner);
    if (kind === 'remove contact' || kind === 'switch contact') {
      return changeContact(web, owner, { lot, isRemoval: kind === 'remove contact' });
    }
    return true;
  }

  return {
    /** Their first letters and contacts. */
    async begin(web: Process, owner: Owner): Promise<void> {
      const pressed = whenOf(time);
      for (let letter = 0; letter < owner.plan.letters; letter += 1) await write(web, owner, letter + 1);
      for (const _ of owner.plan.contacts) await nameContact(web, owner);
      noteActivity(owner, { pressed, answered: whenOf(time) });
    },
    act,
    stranger,
    /** The button behind the link in a mail. */
    async checkInByLink({ app }: Process, owner: Owner, token: string): Promise<void> {
      const pressed = whenOf(time);
      owner.pressedIn = pressed.moment;
      await checkInByLink(app, { params: { token }, origin: nowhere });
      noteActivity(owner, { pressed, answered: whenOf(time) });
    },
  };
}
