import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { adminEmail, createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

const tom = 'tom@friends.example';
let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

beforeEach(async () => {
  await everkept.database.db.delete(users);
  await everkept.releases.resume();
  everkept.mailer.clear();
});

/** Owner with a ready letter to a recipient of their own. */
async function owner(firstName: string): Promise<Owner> {
  const one = await everkept.signUp({ firstName });
  await everkept.database.db.update(users).set({ plan: 'premium' }).where(eq(users.id, one.userId));
  const body = { releaseMethod: 'inactivity', inactivityDays: 90 };
  expect((await one.browser.send('PUT', '/api/user/release-settings', { body })).statusCode).toBe(200);
  await everkept.write(one, { recipientEmail: `nell.${one.email}` });
  return one;
}

const befriend = (one: Owner, email: string) => everkept.befriend(one, { name: 'Tom Lee', email });
const reason = 'There was an accident, and nobody can reach them.';

/** Fills in the emergency form, from a network that has all its tries left. */
async function fillInForm(userEmail: string, contactEmail: string) {
  await everkept.database.pool.query('delete from rate_limits');
  const body = { userEmail, contactEmail, contactName: 'Tom Lee', reason };
  return createBrowser(everkept.app).send('POST', '/api/emergency-activate', { body });
}

async function confirm(contactEmail: string) {
  await everkept.work();
  const url = `/api${everkept.linkTo(contactEmail, '/trusted-contact-admin/')}/confirm-release`;
  const answer = await createBrowser(everkept.app).send('POST', url, { body: { confirmed: true, reason } });
  expect(answer.statusCode).toBe(200);
  await everkept.work();
}

const subjectsTo = (address: string) =>
  everkept.mailer.sent.filter(({ to }) => to.address === address).map(({ subject }) => subject);
/** Besides the daily line of the audit log. */
const operatorIsTold = () => subjectsTo(adminEmail).filter((subject) => !subject.includes('how the audit log stands'));
const said = (address: string) =>
  everkept.mailer.sent
    .findLast(({ to, subject }) => to.address === address && !subject.includes('how the audit log stands'))
    ?.text.replace(/\s+/g, ' ') ?? '';
const hasLetter = ({ email }: Owner) => subjectsTo(`nell.${email}`).length > 0;
const askedFor = (address: string) =>
  subjectsTo(address).filter((each) => each.includes('please tell us what you know')).length;

describe('one account that asks for itself and checks in, again and again,', () => {
  const checkIn = async (one: Owner) => {
    const answer = await one.browser.send('POST', '/api/checkin');
    expect(answer.statusCode).toBe(200);
  };

  test('by the form: three requests a week begin, and no other owner is stopped by any of them', async () => {
    const [stranger, ines] = [await owner('Stan'), await owner('Ines')];
    const own = ['a', 'b', 'c'].map((name) => `${name}@stranger.example`);
    for (const each of own) await befriend(stranger, each);
    await befriend(ines, tom);
    await everkept.live(4);
    await everkept.signIn(stranger);
    for (let times = 0; times < 11; times += 1) {
      expect((await fillInForm(stranger.email, own[times % own.length] ?? '')).statusCode).toBe(202);
      await everkept.work();
      await checkIn(stranger);
    }
    expect(own.reduce((all, each) => all + askedFor(each), 0)).toBe(3);
    // One email at the end of a day reports its further uses.
    await everkept.live(1.1);
    expect(said(stranger.email)).toContain('Your messages were asked for three times within a week');
    expect(operatorIsTold()).toEqual([]);

    await everkept.signIn(ines);
    expect((await fillInForm(ines.email, tom)).statusCode).toBe(202);
    await everkept.work();
    expect(askedFor(tom)).toBe(1);
    await checkIn(ines);
    await everkept.live(98);
    expect(hasLetter(ines)).toBe(true);
  });

  test('as its own trustee: the fourth press of a week is refused, and no other owner is stopped', async () => {
    const [stranger, ines] = [await owner('Stan'), await owner('Ines')];
    const trustee = await everkept.signUp({ firstName: 'Alias' });
    await befriend(stranger, trustee.email);
    await befriend(stranger, 'other@stranger.example');
    const preferences = { quorum: 2, waitingDays: 3, answerDays: 7 };
    expect((await stranger.browser.send('PUT', '/api/release/preferences', { body: preferences })).statusCode).toBe(
      200,
    );
    await everkept.live(4);
    const answers: number[] = [];
    for (let times = 0; times < 11; times += 1) {
      await everkept.database.pool.query('delete from rate_limits');
      await everkept.signIn(trustee);
      const press = await trustee.browser.send('POST', `/api/trustee/trigger-release/${stranger.userId}`);
      answers.push(press.statusCode);
      if (times === 3) expect(press.body).toContain('asked for three times this week');
      await everkept.signIn(stranger);
      await checkIn(stranger);
    }
    expect(answers).toEqual([200, 200, 200, ...Array<number>(8).fill(409)]);
    expect(await everkept.releases.freezes()).toMatchObject({ frozenAt: null, silenceStoppedAt: null });
    expect(operatorIsTold()).toEqual([]);

    await everkept.live(7.1);
    await everkept.signIn(trustee);
    const press = await trustee.browser.send('POST', `/api/trustee/trigger-release/${stranger.userId}`);
    expect(press.statusCode).toBe(200);
    await everkept.live(95);
    expect(hasLetter(ines)).toBe(true);
  });
});

describe('the breaker', () => {
  test('stops the eleventh silence of a day, names the accounts, and lets go on what contacts confirm', async () => {
    const silent: Owner[] = [];
    for (let index = 0; index < 12; index += 1) silent.push(await owner('Sue'));
    const [first] = silent;
    if (!first) throw new Error('There is nobody.');
    await befriend(first, tom);
    // Every silence begins at the same time.
    await everkept.database.pool.query('update users set last_checkin_at = (select max(last_checkin_at) from users)');
    await everkept.live(90.2);
    const ines = await owner('Ines');
    await befriend(ines, 'pat@friends.example');

    expect(operatorIsTold().at(-1)).toBe('Everkept: releases by silence are stopped until you look');
    const { silenceStoppedAt, countedAccounts, frozenAt } = await everkept.releases.freezes();
    expect([silenceStoppedAt, frozenAt]).toEqual([expect.any(Date), null]);
    expect(countedAccounts).toHaveLength(10);
    for (const email of countedAccounts) expect(said(adminEmail)).toContain(email);
    const named = silent.filter(({ email }) => said(adminEmail).includes(email));
    expect(named).toHaveLength(11);

    await everkept.live(8);
    expect(silent.map(hasLetter)).toEqual(Array<boolean>(12).fill(false));
    // Another owner's early request begins and is confirmed as on any other day.
    await fillInForm(ines.email, 'pat@friends.example');
    await confirm('pat@friends.example');
    await everkept.live(4);
    expect(hasLetter(ines)).toBe(true);

    await everkept.releases.resume();
    await everkept.live(0.5);
    await everkept.releases.resume();
    await everkept.live(8);
    expect(silent.map(hasLetter)).toEqual(Array<boolean>(12).fill(true));
  });
});

describe('ten days ahead', () => {
  const foretold = (day: string) => `Everkept: releases by silence may stop on ${day} unless you look`;
  let silent: Owner[];

  /** Twelve owners whose silence began together, on the day of their last reminder. */
  beforeEach(async () => {
    silent = [];
    for (let index = 0; index < 12; index += 1) silent.push(await owner('Sue'));
    await everkept.database.pool.query('update users set last_checkin_at = (select max(last_checkin_at) from users)');
    await everkept.live(80.2);
  });

  test('the operator is notified once of the owners whom the breaker would stop, and an answer allows their steps in time', async () => {
    const [told, ...others] = operatorIsTold();
    expect([told?.startsWith('Everkept: releases by silence may stop on '), others]).toEqual([true, []]);
    const { foreseen } = await everkept.releases.freezes();
    expect(foreseen.map(({ accounts }) => accounts)).toEqual([silent.map(({ email }) => email).toSorted()]);
    expect(told).toBe(foretold(foreseen[0]?.day ?? ''));
    expect(said(adminEmail)).toContain(silent[0]?.email);

    expect(await everkept.releases.resume()).toBe('done');
    expect(await everkept.releases.resume(), 'a second answer changes nothing').toBe('unchanged');
    expect((await everkept.releases.freezes()).foreseen).toEqual([]);
    await everkept.live(18);
    expect(silent.map(hasLetter)).toEqual(Array<boolean>(12).fill(true));
    expect(operatorIsTold()).toHaveLength(1);
  });

  test('an owner frozen or expected by name is not counted, and all others continue', async () => {
    const [one, other] = silent;
    if (!one || !other) throw new Error('There is nobody.');
    expect(await everkept.releases.freezeOwner(one.email)).toBe('done');
    expect(await everkept.releases.resumeOwner(other.email)).toBe('done');
    await everkept.live(18);
    expect(silent.map(hasLetter)).toEqual([false, ...Array<boolean>(11).fill(true)]);
    expect((await everkept.releases.freezes()).silenceStoppedAt).toBeNull();
  });

  test('an answer given beforehand holds for the named owners, and for no owner who falls silent later', async () => {
    expect(await everkept.releases.resume()).toBe('done');
    const later: Owner[] = [];
    for (let index = 0; index < 12; index += 1) later.push(await owner('Ann'));
    await everkept.database.pool.query(
      'update users set last_checkin_at = (select max(last_checkin_at) from users) where id = any($1)',
      [later.map(({ userId }) => userId)],
    );
    await everkept.live(91);
    expect(silent.map(hasLetter)).toEqual(Array<boolean>(12).fill(true));
    expect((await everkept.releases.freezes()).silenceStoppedAt).toEqual(expect.any(Date));
    await everkept.live(8);
    expect(later.some(hasLetter)).toBe(false);
  });
});

describe('a mailbox that confirms early for more than three owners in a day', () => {
  test('is put under review, the operator is emailed the accounts, and no other mailbox is affected', async () => {
    const owners: Owner[] = [];
    for (const name of ['Ann', 'Bea', 'Cat', 'Dot', 'Eve']) owners.push(await owner(name));
    const [ann, , , dot, eve] = owners;
    if (!ann || !dot || !eve) throw new Error('There is nobody.');
    for (const each of owners) await befriend(each, each === eve ? 'una@friends.example' : tom);
    for (const each of owners) {
      const body = { quorum: 1, waitingDays: 3, answerDays: 7 };
      await each.browser.send('PUT', '/api/release/preferences', { body });
    }
    await everkept.live(4);
    for (const each of owners.slice(0, 3)) {
      await fillInForm(each.email, tom);
      await confirm(tom);
    }
    expect(operatorIsTold()).toEqual([]);
    await fillInForm(dot.email, tom);
    await confirm(tom);
    expect(operatorIsTold()).toEqual(['Everkept: a mailbox waits until you look']);
    const { releases } = everkept;
    const accounts = owners.slice(0, 4).map(({ email }) => email);
    expect((await releases.freezes()).heldMailboxes).toEqual([{ mailbox: tom, accounts: accounts.toSorted() }]);
    for (const email of [...accounts, tom]) expect(said(adminEmail)).toContain(email);

    await fillInForm(eve.email, 'una@friends.example');
    await confirm('una@friends.example');
    await everkept.live(4);
    expect(owners.map(hasLetter)).toEqual([false, false, false, false, true]);

    expect(await releases.resumeOwner(` ${tom.toUpperCase()}`)).toBe('done');
    await everkept.live(4);
    expect(owners.map(hasLetter)).toEqual([true, true, true, true, true]);
    expect((await releases.freezes()).heldMailboxes).toEqual([]);
    expect(operatorIsTold()).toHaveLength(1);
  });

  test('stays held for the others when one of the owners removes that contact, as a Stop proposes, or deletes the account', async () => {
    const owners: Owner[] = [];
    for (const name of ['Ann', 'Bea', 'Cat', 'Dot', 'Eve']) owners.push(await owner(name));
    const [ann, , , dot, eve] = owners;
    if (!ann || !dot || !eve) throw new Error('There is nobody.');
    const ids: string[] = [];
    for (const each of owners) ids.push(await befriend(each, tom));
    await everkept.live(4);
    for (const each of owners) {
      await fillInForm(each.email, tom);
      await confirm(tom);
    }
    // The fourth, whose answer put the mailbox under review, and the first.
    await everkept.signIn(dot);
    expect((await dot.browser.send('DELETE', `/api/trusted-contacts/${ids[3]}`)).statusCode).toBe(204);
    await everkept.signIn(ann);
    expect((await ann.browser.send('DELETE', '/api/delete-account')).statusCode).toBe(204);
    await everkept.live(10);
    expect(owners.map(hasLetter)).toEqual([false, false, false, false, false]);
    expect((await everkept.releases.freezes()).heldMailboxes.map(({ mailbox }) => mailbox)).toEqual([tom]);
    expect(operatorIsTold()).toHaveLength(1);

    expect(await everkept.releases.resumeOwner(tom)).toBe('done');
    await everkept.live(4);
    expect(owners.map(hasLetter)).toEqual([false, true, true, false, true]);
  });

  test('is held by the fourth of many answers that come at the same time, and no letter leaves before the operator has looked', async () => {
    const owners: Owner[] = [];
    for (let index = 0; index < 9; index += 1) owners.push(await owner('Sue'));
    for (const each of owners) {
      await befriend(each, tom);
      const body = { quorum: 1, waitingDays: 0, answerDays: 7 };
      expect((await each.browser.send('PUT', '/api/release/preferences', { body })).statusCode).toBe(200);
    }
    await everkept.live(4);
    const links: string[] = [];
    for (const each of owners) {
      await fillInForm(each.email, tom);
      await everkept.work();
      links.push(`/api${everkept.linkTo(tom, '/trusted-contact-admin/')}/confirm-release`);
    }
    const body = { confirmed: true, reason };
    const answers = await Promise.all(
      links.map((url) =>
        createBrowser(everkept.app)
          .send('POST', url, { body })
          .then(({ statusCode }) => statusCode),
      ),
    );
    expect(answers).toEqual(links.map(() => 200));
    await everkept.live(1);
    expect(owners.filter(hasLetter)).toEqual([]);
    expect(operatorIsTold()).toEqual(['Everkept: a mailbox waits until you look']);
    await everkept.releases.resumeOwner(tom);
    await everkept.live(1);
    expect(owners.filter(hasLetter)).toHaveLength(9);
  });
});
