import {
  confirmRelease,
  getPortal,
  sayAlive,
  sayNotAsked,
  takeBackConfirmation,
} from '#server/features/contact-portal/portal.ts';
import { answerInvitation } from '#server/features/contacts/invitations.ts';
import { answerByLink, proposeByLink, readNewAddress } from '#server/features/redelivery/new-address.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { Process } from '#tests/simulation/machine.ts';
import type { Random } from '#tests/simulation/random.ts';
import { happens, type Scenario, type Temper } from '#tests/simulation/scenario.ts';
import type { WorldTime } from '#tests/simulation/time.ts';
import { type ContactNote, nowhere, type Said, type When, whenOf } from './notes.ts';
import type { Owner } from './owners.ts';
import type { Handed } from './post.ts';
import type { Reaction } from './reaction.ts';

type Options = {
  time: WorldTime;
  random: Random;
  scenario: Scenario;
  /** Lots of their own, for contacts who leave, and for those who think again. */
  quitters: Random;
  doubters: Random;
  /** Request of a link. */
  requestOf: (token: string) => string | null;
  /** At once, a little later, or days later. */
  patience: (lots?: Random) => number;
  complain: (what: string) => void;
};
/** The link of one contact, and since when they have had it. */
type Link = { token: string; contact: ContactNote; sent: When };

/** Reactions of trusted contacts to their mails. */
export function createContactReactions(options: Options) {
  const { time, random, scenario, quitters, doubters, requestOf, patience, complain } = options;
  /** Links that have done what they are for, and were answered. */
  const acted = new Set<string>();
  /** Contacts who say that the owner is alive where they would say no. */
  const sick = new Set<string>();

  function says(temper: Temper): 'confirms' | 'cancels' | null {
    if (temper === 'torn') return random.pick(['confirms', 'cancels', null]);
    return temper === 'vanishes' ? null : temper;
  }

  function actOnce(owner: Owner, { token, contact, sent }: Link): void {
    if (acted.has(token)) complain(`the link of ${contact.email} has acted twice`);
    acted.add(token);
    const isDead = owner.activity.moment > sent.moment && owner.activity.moment < time.moment;
    if (isDead) complain(`a link of ${contact.email} has acted after the owner came back`);
  }

  /** A contact sees the titles that they may see and whom those letters are for, and of all others a number. */
  async function look(web: Process, owner: Owner, { token, contact: { email } }: Link): Promise<void> {
    const seen = await getPortal(web.app, { params: { token } });
    for (const { title, recipientEmail } of seen.messages) {
      const note = owner.letters.find((letter) => letter.title === title);
      const isGone = note?.status === 'draft' || note?.status === 'deleted';
      if (!note?.isVisible || note.recipient !== recipientEmail)
        complain(`${email} sees what is not for them: ${title}`);
      if (isGone && owner.activity.moment < time.moment) complain(`${email} sees a ${note.status} letter`);
    }
    const shown = JSON.stringify(seen);
    const isOpen = owner.letters.some(
      ({ text, title, isVisible }) => shown.includes(text) || (!isVisible && shown.includes(`"${title}"`)),
    );
    if (isOpen) complain(`${email} sees more of a letter than its title`);
  }

  async function decide(web: Process, owner: Owner, link: Link, says: Said['says']): Promise<void> {
    const { token, contact } = link;
    const silence = owner.activity;
    const { email } = contact;
    const said: Said = { email, says, when: whenOf(time), requestId: requestOf(token), isSure: false, voided: null };
    // An earlier answer that was cut off may have counted.
    const before = owner.said.find(
      (each) => each.requestId === said.requestId && each.email === email && !each.isSure && !each.voided,
    );
    if (!before) owner.said.push(said);
    const note = before ?? said;
    try {
      const reason = 'I spoke to the family.';
      const params = { token };
      // A no in other words.
      if (says === 'no' && sick.has(email)) await sayAlive(web.app, { params, body: { reason }, origin: nowhere });
      else await confirmRelease(web.app, { params, body: { confirmed: says === 'yes', reason }, origin: nowhere });
    } catch (error) {
      // A refusal of the first attempt had no effect, unless another press of the same button was quicker.
      if (error instanceof AppError && !before && !note.isSure) note.voided = whenOf(time);
      throw error;
    }
    actOnce(owner, link);
    if (owner.activity !== silence) return;
    Object.assign(note, { isSure: true, when: whenOf(time), voided: null });
  }

  /** A yes can be taken back on the page that thanked for it. */
  async function takeBack({ app }: Process, owner: Owner, { token, contact }: Link): Promise<void> {
    const requestId = requestOf(token);
    const yes = owner.said.find(
      (each) => each.requestId === requestId && each.email === contact.email && each.says === 'yes' && each.isSure,
    );
    if (!yes || yes.voided) return;
    await takeBackConfirmation(app, { params: { token }, origin: nowhere });
    yes.voided = whenOf(time);
  }

  async function denyRequest({ app }: Process, _: Owner, { token }: Link): Promise<void> {
    await sayNotAsked(app, { params: { token }, origin: nowhere });
  }

  /** A contact finds the role too heavy; some of them change their mind. */
  function leaveRole(email: string, owner: Owner, contact: ContactNote): Reaction[] {
    const answer = (accept: boolean) => async (web: Process) => {
      const token = contact.roleToken;
      if (!token || contact.isRemoved) return;
      contact.unsureUntil = Number.POSITIVE_INFINITY;
      // Replaced by the owner meanwhile, or too old: then this link does nothing, and they stay what they are.
      const isDone = await answerRole(web, { token, accept });
      if (isDone && !accept) leave(owner, contact);
      if (isDone) contact.confirmed = accept ? (contact.confirmed ?? whenOf(time)) : null;
      contact.unsureUntil = time.moment;
    };
    const leavesMs = patience();
    const leaves = { name: `${email} leaves`, owner, afterMs: leavesMs, run: answer(false) };
    if (quitters.chance(0.6)) return [leaves];
    return [leaves, { name: `${email} comes back`, owner, afterMs: leavesMs + patience(), run: answer(true) }];
  }

  /** With the role goes a yes; a no stays. */
  function leave(owner: Owner, contact: ContactNote): void {
    contact.left = whenOf(time);
    for (const said of owner.said) {
      if (said.email === contact.email && said.says === 'yes' && said.isSure) said.voided ??= whenOf(time);
    }
  }

  async function answerRole({ app }: Process, { token, accept }: { token: string; accept: boolean }): Promise<boolean> {
    try {
      await answerInvitation(app, { params: { token }, body: { accept }, origin: nowhere });
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  /** Another address for an unreached recipient: proposed by one contact, accepted or refused by others. */
  async function tellAddress(web: Process, owner: Owner, token: string, contact: ContactNote): Promise<void> {
    const { app } = web;
    const page = await readNewAddress(app, token);
    for (const { id: letterId, recipientEmail, state, proposal } of page.letters) {
      if (state !== 'refused' && state !== 'unopened') continue;
      const press = { token, letterId, origin: nowhere };
      if (proposal && !proposal.isYours && proposal.canBeAgreed) {
        const agrees = doubters.chance(0.7);
        // A refused address may be proposed again, by another contact.
        const note = owner.addresses.findLast(({ address }) => address === proposal.address);
        if (agrees) note?.by.push(contact.email);
        await answerByLink(app, { ...press, address: proposal.address, agrees });
      } else if (!proposal) {
        const given = owner.letters.find(({ recipient }) => recipient === recipientEmail)?.recipient;
        if (!given) continue;
        // Some would have it come to themselves.
        const address = doubters.chance(0.1) ? contact.email : `moved.${given}`;
        owner.addresses.push({ recipient: given, address, by: [contact.email], proposed: whenOf(time) });
        await proposeByLink(app, { ...press, address, reason: 'I met them.' });
      }
    }
  }

  const path = (text: string, name: string) => new RegExp(`/${name}/([\\w-]{20,})`).exec(text)?.[1] ?? null;

  function answerQuestion(mail: Handed, owner: Owner, link: Link): Reaction[] {
    const { contact } = link;
    const { email } = contact;
    const isForeign = /emergency request was made in your name/.test(mail.text.replace(/\s+/g, ' '));
    if (happens(scenario, 'second thoughts') && isForeign && doubters.chance(0.25)) {
      const run = (web: Process) => denyRequest(web, owner, link);
      return [{ name: `${email} did not ask`, owner, afterMs: patience(doubters), run }];
    }
    const word = says(contact.temper);
    if (!word) return [];
    if (word === 'cancels' && doubters.chance(0.4)) sick.add(email);
    const press = async (web: Process) => {
      await look(web, owner, link);
      await decide(web, owner, link, word === 'confirms' ? 'yes' : 'no');
    };
    const afterMs = patience();
    const presses = random.chance(0.15) ? 3 : 1;
    const answers = Array.from({ length: presses }, () => ({ name: `${email} ${word}`, owner, afterMs, run: press }));
    if (!happens(scenario, 'second thoughts') || word !== 'confirms' || !doubters.chance(0.8)) return answers;
    const run = (web: Process) => takeBack(web, owner, link);
    return [...answers, { name: `${email} takes it back`, owner, afterMs: afterMs + patience(doubters), run }];
  }

  /** Reactions of a contact to a mail; null if it asks nothing of them. */
  function reactionsTo(mail: Handed, owner: Owner, sent: When): Reaction[] | null {
    const contact = owner.contacts.find(({ email }) => email === mail.to);
    if (!contact) return null;
    const invitation = path(mail.text, 'trusted-contact-accept');
    if (invitation) contact.roleToken = invitation;
    if (invitation && random.chance(0.9)) {
      const accept = random.chance(0.95);
      const run = async ({ app }: Process) => {
        await answerInvitation(app, { params: { token: invitation }, body: { accept }, origin: nowhere });
        contact.confirmed = accept ? (contact.confirmed ?? whenOf(time)) : null;
      };
      return [{ name: `${mail.to} ${accept ? 'accepts' : 'declines'}`, owner, afterMs: patience(), run }];
    }
    const portal = path(mail.text, 'trusted-contact-admin');
    if (portal && quitters.chance(0.12)) return leaveRole(mail.to, owner, contact);
    if (portal) return answerQuestion(mail, owner, { token: portal, contact, sent });
    const elsewhere = path(mail.text, 'new-address');
    if (!elsewhere || !happens(scenario, 'new addresses') || !doubters.chance(0.7)) return null;
    const run = (web: Process) => tellAddress(web, owner, elsewhere, contact);
    return [{ name: `${mail.to} tells an address`, owner, afterMs: patience(doubters), run }];
  }

  return {
    reactionsTo,
    keep(): () => void {
      const kept = [...acted];
      return () => {
        acted.clear();
        for (const token of kept) acted.add(token);
      };
    },
  };
}
