import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/platform/crypto/token.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { refusal } from '#tests/support/refusal.ts';
import { invitationDays } from './contacts.rules.ts';
import { type ContactsWorld, createContactsWorld, newAddress } from './contacts.test-world.ts';

let world: ContactsWorld;

beforeAll(async () => {
  world = await createContactsWorld();
});

afterAll(() => world.close());

async function invited() {
  const email = newAddress();
  const owner = await world.newOwner({ email: newAddress() });
  const contact = await world.add(owner, { email });
  return { owner, contact, email, token: await world.tokenOf(email) };
}

const ownersMail = async (userId: string) => world.mailsTo((await world.rowOf(userId)).email);

describe('a word from the owner', () => {
  const word = 'You always notice when I go quiet. Would you do this for me?';

  test('comes last in the invitation, marked as the owner’s, stays when it is sent again, and is sealed where it is kept', async () => {
    const owner = await world.newOwner();
    const { id, email } = await world.add(owner, { word });
    await world.resend(owner, id);
    const mails = await world.mailsTo(email);
    for (const part of mails.flatMap(({ text, html }) => [text, html])) {
      const plain = part.replace(/\s+/g, ' ');
      const order = ['has named you as a trusted contact, and gave', '/trusted-contact-accept/', 'not ours:', word];
      const places = order.map((words) => plain.indexOf(words));
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      expect(places).not.toContain(-1);
    }
    expect((await world.rowOfContact(id)).word).not.toContain('quiet');
    expect(await world.contacts.list(owner)).toMatchObject([{ word }]);
  });

  test('does not go to somebody else, when the address becomes another', async () => {
    const owner = await world.newOwner();
    const { id, email } = await world.add(owner, { word });
    await world.change(owner, id, { email, name: 'Priya' });
    expect(await world.contacts.list(owner)).toMatchObject([{ word }]);
    const moved = newAddress();
    await world.change(owner, id, { email: moved });
    expect((await world.mailsTo(moved))[0]?.text).not.toContain('quiet');
  });
});

describe('the mail to keep', () => {
  test('goes to whoever says yes, once, and says what to do on the day', async () => {
    const owner = await world.newOwner();
    const { email, token } = await world.addAccepted(owner);
    await world.answer(token, true);
    const kept = (await world.mailsTo(email)).filter(({ subject }) => subject.startsWith('You said yes for'));
    expect(kept).toHaveLength(1);
    const text = kept[0]?.text.replace(/\s+/g, ' ') ?? '';
    expect(text).toContain('Try to reach Sam first.');
    expect(text).toContain('/emergency-activation');
    expect(text).toContain(`/trusted-contact-accept/${token}`);
  });
});

describe('the first mail to a contact', () => {
  test('says who gave the address, why, until when, and how to refuse', async () => {
    const { email, token } = await invited();
    const [mail] = await world.mailsTo(email);

    expect(mail?.subject).toBe('Sam Carter has named you as a trusted contact');
    expect(mail?.to).toEqual({ address: email, name: 'Priya Shah' });
    const words = mail?.text.replaceAll(/\s+/g, ' ');
    expect(words).toContain('Hello Priya,');
    expect(words).toContain(
      'Sam Carter has named you as a trusted contact, and gave us your name and this email address',
    );
    expect(words).toContain('You do not need to do anything about them now.');
    expect(words).toContain('You can answer until 31 March 2026.');
    expect(words).toContain('choose Decline, or do nothing');
    expect(mail?.text).toContain(`https://everkept.example/trusted-contact-accept/${token}`);
    expect(mail?.html).toContain(`https://everkept.example/trusted-contact-accept/${token}`);
    expect(words).not.toContain('!');
  });

  test('shows names as they are written, and never as markup', async () => {
    const owner = await world.newOwner({ firstName: '<b>Sam</b>' });
    const { email } = await world.add(owner, { name: 'Priya<script>alert(1)</script>&Söhne' });
    const [mail] = await world.mailsTo(email);
    expect(mail?.html).not.toContain('<script>');
    expect(mail?.html).not.toContain('<b>Sam');
    expect(mail?.text).toContain('Priya<script>alert(1)</script>&Söhne');
  });

  test('names an owner without a name by their address', async () => {
    const owner = await world.newOwner({ firstName: null });
    const { email } = await world.add(owner);
    const [mail] = await world.mailsTo(email);
    expect(mail?.subject).toBe(`${(await world.rowOf(owner.userId)).email} has named you as a trusted contact`);
  });
});

describe('the link', () => {
  test('shows what is asked, and opening it any number of times changes nothing', async () => {
    const { contact, email, token } = await invited();
    const before = await world.rowOfContact(contact.id);
    const answerableUntil = new Date((before.confirmationSentAt?.getTime() ?? 0) + invitationDays * dayMs);
    for (let opening = 0; opening < 20; opening += 1) {
      expect(await world.contacts.readInvitation(token)).toEqual({
        ownerName: 'Sam Carter',
        contactName: 'Priya Shah',
        contactEmail: email,
        state: 'open',
        answerableUntil,
      });
    }
    expect(await world.rowOfContact(contact.id)).toEqual(before);
  });

  test('is stored as a hash only, and a guess, a hash and an old link are all alike', async () => {
    const { owner, contact, token } = await invited();
    const { confirmationToken } = await world.rowOfContact(contact.id);
    await world.resend(owner, contact.id);
    const errors = await Promise.all(
      [newToken(), confirmationToken ?? '', token, '', 'x'.repeat(128)].map((guess) =>
        refusal(world.contacts.readInvitation(guess)),
      ),
    );
    expect(errors.map(({ status, type }) => [status, type])).toEqual(Array(5).fill([404, 'NOT_FOUND']));
    expect(new Set(errors.map(({ message }) => message)).size).toBe(1);
    expect(await refusal(world.answer(token, true))).toMatchObject({ status: 404, message: errors[0]?.message });
  });

  test('dies after thirty days without an answer, and can be sent again', async () => {
    const { owner, contact, email, token } = await invited();
    world.clock.advance(invitationDays * dayMs - 1);
    expect(await world.contacts.readInvitation(token)).toMatchObject({ state: 'open' });
    world.clock.advance(1);
    expect(await refusal(world.contacts.readInvitation(token))).toMatchObject({ status: 404 });
    expect(await refusal(world.answer(token, true))).toMatchObject({ status: 404 });
    expect(await world.rowOfContact(contact.id)).toMatchObject({ isConfirmed: false });

    await world.resend(owner, contact.id);
    expect(await world.answer(await world.tokenOf(email), true)).toMatchObject({ isConfirmed: true });
  });
});

describe('accepting', () => {
  test('confirms the contact and tells the owner, once, however often it is pressed', async () => {
    const { owner, contact, token } = await invited();
    world.clock.advance(dayMs);
    const answer = { contactId: contact.id, name: 'Priya Shah', isConfirmed: true, answerableUntil: null };
    expect(await world.answer(token, true)).toEqual(answer);
    const confirmedAt = await world.clock.now();
    world.clock.advance(dayMs);
    expect(await world.answer(token, true)).toEqual(answer);

    expect(await world.contacts.list(owner)).toMatchObject([{ isConfirmed: true, hasDeclined: false, confirmedAt }]);
    expect(await world.contacts.readInvitation(token)).toMatchObject({ state: 'accepted', answerableUntil: null });
    const subjects = (await ownersMail(owner.userId)).map(({ subject }) => subject);
    expect(subjects).toEqual(['Priya Shah has agreed to be your trusted contact']);
  });

  test('fifty presses at once are one answer', async () => {
    const { owner, token } = await invited();
    await Promise.all(Array.from({ length: 50 }, () => world.answer(token, true)));
    expect(await ownersMail(owner.userId)).toHaveLength(1);
    const audited = await world.db.select().from(auditLogs).where(eq(auditLogs.userId, owner.userId));
    expect(audited.filter(({ action }) => action === 'contact.accept')).toHaveLength(1);
  });
});

describe('declining', () => {
  test('is kept, told to the owner, and may be turned into a yes while the link lives', async () => {
    const { owner, contact, token } = await invited();
    const { answerableUntil } = await world.contacts.readInvitation(token);
    const no = { contactId: contact.id, name: 'Priya Shah', isConfirmed: false, answerableUntil };
    expect(await world.answer(token, false)).toEqual(no);
    expect(await world.answer(token, false)).toEqual(no);
    expect(await world.contacts.list(owner)).toMatchObject([{ isConfirmed: false, hasDeclined: true }]);
    expect(await world.contacts.readInvitation(token)).toMatchObject({ state: 'declined' });
    const subjects = async () => (await ownersMail(owner.userId)).map(({ subject }) => subject);
    const said = 'Priya Shah has said no to being your trusted contact';
    expect(await subjects()).toEqual([said]);

    await world.answer(token, true);
    expect(await world.contacts.list(owner)).toMatchObject([{ isConfirmed: true, hasDeclined: false }]);
    expect(await subjects()).toEqual([said, 'Priya Shah has agreed to be your trusted contact']);
  });

  test('after accepting ends the role, at any time, with the same link, and for 30 days that can be undone', async () => {
    const { owner, contact, token } = await invited();
    await world.answer(token, true);
    world.clock.advance(200 * dayMs);
    expect(await world.contacts.readInvitation(token)).toMatchObject({ state: 'accepted' });
    const answerableUntil = new Date((await world.clock.now()).getTime() + invitationDays * dayMs);
    expect(await world.answer(token, false)).toMatchObject({ isConfirmed: false, answerableUntil });
    expect(await world.contacts.readInvitation(token)).toMatchObject({ state: 'declined', answerableUntil });
    const subjects = (await ownersMail(owner.userId)).map(({ subject }) => subject);
    expect(subjects.at(-1)).toBe('Priya Shah no longer wants to be your trusted contact');

    expect(await world.contacts.confirmedContacts(world.db, owner.userId)).toEqual([]);
    expect(await world.rowOfContact(contact.id)).toMatchObject({ isConfirmed: false, confirmedAt: null });
    world.clock.advance(29 * dayMs);
    expect(await world.answer(token, true)).toMatchObject({ isConfirmed: true });
    await world.answer(token, false);
    world.clock.advance(30 * dayMs);
    expect(await refusal(world.answer(token, true))).toMatchObject({ status: 404 });
  });

  test('is no sign of life of the owner', async () => {
    const { owner, token } = await invited();
    const before = (await world.rowOf(owner.userId)).lastCheckinAt;
    world.clock.advance(dayMs);
    await world.answer(token, false);
    expect((await world.rowOf(owner.userId)).lastCheckinAt).toEqual(before);
  });

  test('and accepting at once end in one of the two, with the mail and the row agreeing', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { owner, contact, token } = await invited();
      await Promise.all([world.answer(token, true), world.answer(token, false)]);
      const { isConfirmed, declinedAt, confirmedAt } = await world.rowOfContact(contact.id);
      expect([isConfirmed, confirmedAt !== null, declinedAt === null]).toEqual(Array(3).fill(isConfirmed));
      const subjects = (await ownersMail(owner.userId)).map(({ subject }) => subject);
      // What had not left when the other answer came is taken back.
      expect(subjects.at(-1)).toContain(isConfirmed ? 'has agreed' : 'be your trusted contact');
      expect(subjects).toHaveLength(1);
    }
  });
});

describe('sending again', () => {
  test('makes a new link and kills the old one', async () => {
    const { owner, contact, email, token } = await invited();
    await world.resend(owner, contact.id);
    const renewed = await world.tokenOf(email);
    expect(renewed).not.toBe(token);
    expect(await refusal(world.contacts.readInvitation(token))).toMatchObject({ status: 404 });
    expect(await world.contacts.readInvitation(renewed)).toMatchObject({ state: 'open' });
  });

  test('asks somebody who declined anew', async () => {
    const { owner, contact, email, token } = await invited();
    await world.answer(token, false);
    await world.resend(owner, contact.id);
    expect(await world.contacts.list(owner)).toMatchObject([{ hasDeclined: false }]);
    expect(await world.contacts.readInvitation(await world.tokenOf(email))).toMatchObject({ state: 'open' });
  });

  test('is refused for somebody who accepted or is switched off', async () => {
    const { owner, contact, email, token } = await invited();
    await world.answer(token, true);
    expect(await refusal(world.resend(owner, contact.id))).toMatchObject({ type: 'CONFLICT' });
    await world.change(owner, contact.id, { email, isActive: false });
    expect(await refusal(world.resend(owner, contact.id))).toMatchObject({ type: 'CONFLICT' });
  });

  test('while the first is still waiting sends one mail, with the link that works', async () => {
    const owner = await world.newOwner();
    const { id, email } = await world.add(owner);
    await world.resend(owner, id);
    expect(await world.mailsTo(email)).toHaveLength(1);
    expect(await world.contacts.readInvitation(await world.tokenOf(email))).toMatchObject({ state: 'open' });
  });
});

describe('an address that takes no mail', () => {
  test('is told to the owner', async () => {
    const email = newAddress();
    const owner = await world.newOwner();
    world.mailer.answer(({ to }) =>
      to.address === email ? { outcome: 'refused', replyCode: 550 } : { outcome: 'accepted' },
    );
    await world.add(owner, { email });
    await world.mailsTo(email);
    const told = await ownersMail(owner.userId);
    expect(told.map(({ subject }) => subject)).toEqual(['We could not reach Priya Shah']);
    // The same is written where the tries ran out, so it says nothing of the address.
    expect(told[0]?.text.replace(/\s+/g, ' ')).toContain('We could not deliver our invitation to Priya Shah. Check');
    world.mailer.answer(null);
  });

  test('is not told when the contact has another one by now', async () => {
    const email = newAddress();
    const owner = await world.newOwner();
    const { id } = await world.add(owner, { email });
    world.mailer.answer(async ({ to }) => {
      if (to.address !== email) return { outcome: 'accepted' };
      await world.change(owner, id, { email: newAddress() });
      return { outcome: 'refused', replyCode: 550 };
    });
    await world.mailsTo(email);
    expect(await ownersMail(owner.userId)).toEqual([]);
    world.mailer.answer(null);
  });
});
