import { randomUUID } from 'node:crypto';
import type { Principal } from '#server/features/accounts/accounts.service.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import type { Machine, Process } from '#tests/simulation/machine.ts';
import { randomOf } from '#tests/simulation/random.ts';
import { type Act, contactPlan, emailOf, type OwnerPlan, type Scenario } from '#tests/simulation/scenario.ts';
import type { WorldTime } from '#tests/simulation/time.ts';
import { type LetterNote, newSilence, noteActivity, type OwnerNotes, whenOf } from './notes.ts';

export type Owner = OwnerNotes & { principal: Principal };

export const nowhere = { ipAddress: null, userAgent: null };

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

/** What owners do, through the services that their browser would call. Each resolves when they are answered. */
export function createOwnerActs({ time, scenario }: { time: WorldTime; scenario: Scenario }) {
  const { seed, days, mailboxes } = scenario;
  let written = 0;

  /** Whoever comes to change something has just signed in. */
  const principalOf = ({ principal }: Owner): Principal => ({ ...principal, authenticatedAt: new Date(time.wallMs()) });
  const callOf = (owner: Owner) => ({ principal: principalOf(owner), origin: nowhere });
  const actorOf = (owner: Owner) => ({ ...principalOf(owner), origin: nowhere });

  async function write({ services }: Process, owner: Owner, lot: number): Promise<void> {
    written += 1;
    const number = written;
    const status = lot % 4 === 0 ? 'draft' : 'ready';
    const note: LetterNote = {
      id: null,
      recipient: `reader${number}.${owner.plan.name}@family.example`,
      ...wordsOf(owner, number),
      status: 'unsure',
      isVisible: lot % 3 !== 0,
    };
    owner.letters.push(note);
    const { id } = await services.messages.create(callOf(owner), inputOf(note, status));
    Object.assign(note, { id, status });
  }

  async function rewrite(
    { services }: Process,
    owner: Owner,
    act: { lot: number; isReady: boolean },
  ): Promise<boolean> {
    const letter = choose(
      owner.letters.filter(({ id, status }) => id && status !== 'deleted'),
      act.lot,
    );
    if (!letter?.id) return false;
    written += 1;
    const status = act.isReady ? 'ready' : act.lot % 5 === 0 ? 'draft' : 'ready';
    // A new version is a new letter to whoever reads it.
    const next: LetterNote = { ...letter, ...wordsOf(owner, written), status: 'unsure' };
    owner.letters.push(next);
    const before = letter.status;
    letter.status = 'unsure';
    try {
      await services.messages.update({ ...callOf(owner), id: letter.id }, inputOf(next, status));
      next.status = status;
      letter.status = 'deleted';
      return true;
    } catch (error) {
      letter.status = before;
      next.status = 'deleted';
      throw error;
    }
  }

  async function remove({ services }: Process, owner: Owner, lot: number): Promise<boolean> {
    const letter = choose(
      owner.letters.filter(({ id, status }) => id && status !== 'deleted'),
      lot,
    );
    if (!letter?.id) return false;
    const before = letter.status;
    letter.status = 'unsure';
    try {
      await services.messages.remove({ ...callOf(owner), id: letter.id });
      letter.status = 'deleted';
      return true;
    } catch (error) {
      letter.status = before;
      throw error;
    }
  }

  async function nameContact({ services }: Process, owner: Owner): Promise<void> {
    const index = owner.contacts.length;
    const plan =
      owner.plan.contacts[index] ??
      contactPlan(randomOf(seed, owner.plan.name, 'contact', index), owner.plan.name, {
        index,
        seed,
        days,
        mailboxes,
      });
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
    await services.contacts.create(callOf(owner), { name, email, phone, relationship: null, isActive: true });
  }

  async function changeContact(
    { services }: Process,
    owner: Owner,
    act: { lot: number; isRemoval: boolean },
  ): Promise<boolean> {
    const note = choose(
      owner.contacts.filter(({ isRemoved }) => !isRemoved),
      act.lot,
    );
    const known = note && (await services.contacts.list(owner.principal)).find(({ email }) => email === note.email);
    if (!note || !known) return false;
    const call = { ...callOf(owner), id: known.id };
    if (act.isRemoval) {
      await services.contacts.remove(call);
      note.isRemoved = true;
      return true;
    }
    const { name, email, phone } = note;
    const isActive = !note.isActive;
    await services.contacts.update(call, { name, email, phone, relationship: null, isActive });
    note.isActive = isActive;
    return true;
  }

  async function changeSettings({ services }: Process, owner: Owner, lot: number): Promise<void> {
    const releaseMethod = lot % 2 === 0 ? ('inactivity' as const) : ('trusted_contact' as const);
    const inactivityDays = [90, 90, 120, 180][lot % 4] ?? 90;
    await services.ownersRelease.updateSettings(actorOf(owner), { releaseMethod, inactivityDays });
    Object.assign(owner.settings, { releaseMethod, inactivityDays });
  }

  async function changePreferences({ services }: Process, owner: Owner, lot: number): Promise<void> {
    const [quorum, waitingDays, answerDays] = [1 + (lot % 3), [0, 3, 30][lot % 3] ?? 0, [0, 7, 30][lot % 3] ?? 7];
    await services.ownersRelease.updatePreferences(actorOf(owner), { quorum, waitingDays, answerDays });
    const changed = { releaseQuorum: quorum, releaseWaitingDays: waitingDays, releaseAnswerDays: answerDays };
    Object.assign(owner.settings, changed);
  }

  async function signIn({ services, db }: Process, owner: Owner): Promise<void> {
    await db.transaction(async (tx) => {
      await services.accounts.lockOwner(tx, owner.userId);
      const at = new Date(time.wallMs());
      await services.accounts.recordActivity(tx, { userId: owner.userId, type: 'login', at, origin: nowhere });
    });
  }

  /** An owner who is alive says so when they are asked, and takes back what can be taken back. */
  async function answer({ services }: Process, owner: Owner): Promise<void> {
    const { question } = await services.ownersRelease.overview(owner.userId);
    if (question) await services.releases.answer(actorOf(owner), 'back');
  }

  async function askEarly({ services }: Process, owner: Owner, { lot, kind }: Act): Promise<void> {
    const contact = choose(owner.contacts, lot);
    if (!contact) return;
    if (kind === 'emergency') {
      owner.lastEarly = whenOf(time);
      const form = {
        userEmail: owner.email,
        contactEmail: contact.email,
        contactName: contact.name,
        reason: 'He fell.',
      };
      return services.emergencies.request(form, nowhere);
    }
    const known = (await services.contacts.list(owner.principal)).find(({ email }) => email === contact.email);
    if (!known) return;
    const had = owner.confirmed.has(contact.email);
    owner.lastEarly = whenOf(time);
    owner.confirmed.add(contact.email);
    const press = { ownerId: owner.userId, contactId: known.id, origin: nowhere };
    const ignored = await services.releases.pressTrustee(press);
    if (ignored && !had) owner.confirmed.delete(contact.email);
  }

  /** @returns true when it was a sign of life of the owner. */
  async function act(web: Process, owner: Owner, what: Act): Promise<boolean> {
    const { kind, lot } = what;
    if (kind === 'emergency' || kind === 'trustee') {
      await askEarly(web, owner, what);
      return false;
    }
    if (kind === 'check in') await web.services.ownersRelease.checkIn(actorOf(owner));
    if (kind === 'sign in') await signIn(web, owner);
    if (kind !== 'check in' && kind !== 'stop') await answer(web, owner);
    if (kind === 'stop') await web.services.ownersRelease.stop(actorOf(owner));
    if (kind === 'write') await write(web, owner, lot);
    if (kind === 'change' || kind === 'ready') return rewrite(web, owner, { lot, isReady: kind === 'ready' });
    if (kind === 'delete') return remove(web, owner, lot);
    if (kind === 'settings') await changeSettings(web, owner, lot);
    if (kind === 'preferences') await changePreferences(web, owner, lot);
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
    /** The button behind the link in a mail. */
    async checkInByLink({ services }: Process, owner: Owner, token: string): Promise<void> {
      const pressed = whenOf(time);
      await services.ownersRelease.checkInByLink(token, nowhere);
      noteActivity(owner, { pressed, answered: whenOf(time) });
    },
  };
}

function choose<Item>(items: readonly Item[], lot: number): Item | undefined {
  return items[lot % Math.max(1, items.length)];
}

/** No two letters have the same title, so that whoever reads one of them knows which it is. */
function wordsOf({ plan }: Owner, number: number): Pick<LetterNote, 'title' | 'text'> {
  return { title: `Letter ${number}`, text: `Words ${number} of ${plan.name}.` };
}

function inputOf({ recipient, title, text, isVisible }: LetterNote, status: 'draft' | 'ready') {
  return {
    title,
    content: text,
    recipientEmail: recipient,
    category: 'personal' as const,
    status,
    visibleToTrustedContact: isVisible,
  };
}
