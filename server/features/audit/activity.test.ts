import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSources } from '#tests/architecture/sources.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';
import { csvLine } from './activity.csv.ts';
import { tellActivity, toldActions } from './activity.words.ts';
import { recordAudit } from './record.ts';

/** The strings in what this source says of a name, as far as `end`: the members of a type, or the values of an object. */
function stringsIn(path: string, begin: string, end: string): string[] {
  const text = readFileSync(path, 'utf8');
  const from = text.indexOf(begin);
  if (from < 0) throw new Error(`${path} says nothing of ${begin}.`);
  return [...text.slice(from, text.indexOf(end, from)).matchAll(/'(\w+)'/g)].map(([, name]) => name ?? '');
}

/** What a release writes down is put together from parts, each of which is named by a type. */
function actionsOfRelease(): string[] {
  const entries = 'server/features/release/release.entries.ts';
  const ends = stringsIn(entries, 'type EndOfMail =', ';');
  const mails = stringsIn(entries, 'const awaited =', '}');
  return [
    ...stringsIn(entries, 'type StepAction =', ';'),
    ...mails.flatMap((mail) => ends.map((end) => `${mail}_${end}`)),
    ...stringsIn('server/features/redelivery/new-address-sending.ts', 'type AddressAction =', ';').map(
      (action) => `address_${action}`,
    ),
  ];
}

/** Every action that the source can write down: whole ones, and those that a release puts together. */
function actionsInSource(): string[] {
  const sources = readSources().filter(({ path }) => /^server\/(?!.*\.(test|emails|test-world)\.ts$)/.test(path));
  const lines = sources.flatMap(({ text }) => text.split('\n'));
  const named = lines.flatMap((line) => {
    const isAct = /\baction\b|record\(tx,|settingsSaved =/.test(line) && !/^\s*(\/\/|\/?\*)/.test(line);
    return isAct ? [...line.matchAll(/'([a-z]+\.[a-z_-]+)'/g)].map(([, action]) => action ?? '') : [];
  });
  return [...new Set([...named, ...actionsOfRelease().map((action) => `release.${action}`)])];
}

describe('the words of the log', () => {
  const actions = actionsInSource();

  it('are looked for where they are', () => {
    expect(actions.length).toBeGreaterThan(60);
    for (const action of ['session.start', 'contact.accept', 'delivery.opened', 'release.mailbox_held']) {
      expect(actions).toContain(action);
    }
    for (const action of [
      'ask',
      'restored',
      'contact_asked_failed',
      'owner_holding_came_back',
      'address_tried_again',
    ]) {
      expect(actions).toContain(`release.${action}`);
    }
  });

  it('exist for everything that the source can write down', () => {
    expect(actions.filter((action) => !toldActions.has(action))).toEqual([]);
  });

  it('are put together from parts in a release alone, whose parts are known', () => {
    const together = readSources()
      .filter(({ path }) => /^server\/(?!features\/(release|redelivery)\/)(?!.*\.test\.ts$)/.test(path))
      .flatMap(({ path, text }) => text.split('\n').flatMap((line) => (/\baction: `/.test(line) ? [path] : [])));
    expect(together).toEqual([]);
  });

  it('name the way of a sign-in', () => {
    const words = (details: Record<string, unknown>) => tellActivity('session.start', details).words;
    expect(words({ method: 'password' })).toBe('You signed in');
    expect(words({ method: 'provider:google', secondFactor: 'authenticator' })).toBe(
      'You signed in with Google and a code from your authenticator app',
    );
    expect(words({ method: 'passkey', secondFactor: 'passkey' })).toBe('You signed in with a passkey');
  });

  it('do not fail for what a newer version wrote', () => {
    expect(tellActivity('later.thing', null)).toMatchObject({ kind: 'other' });
  });
});

describe('a line of the table', () => {
  it.each([
    [['a', 'b'], 'a,b\r\n'],
    [['a,b', 'say "so"'], '"a,b","say ""so"""\r\n'],
    [['=1+1', '+a', '-a', '@a', '\ta'], `"'=1+1","'+a","'-a","'@a","'\ta"\r\n`],
  ])('%j is harmless in a spreadsheet', (cells, line) => {
    expect(csvLine(cells)).toBe(line);
  });
});

describe('an owner’s activity', () => {
  let everkept: Everkept;
  beforeAll(async () => {
    everkept = await createEverkept();
  });
  afterAll(() => everkept.close());

  const path = '/api/user/activity';
  const wordsIn = (answer: { json(): { entries: { words: string }[] } }) =>
    answer.json().entries.map(({ words }) => words);

  it('is shown in plain words, the newest first, to its owner only', async () => {
    const owner = await everkept.signUp();
    await everkept.write(owner);
    expect(wordsIn(await owner.browser.send('GET', path))).toEqual([
      'You wrote a message',
      'Your email address was confirmed',
      'You showed that the mailbox of this account is yours',
      'You signed in',
      'Your account was opened',
    ]);
    const other = await everkept.signUp();
    expect(wordsIn(await other.browser.send('GET', path))).not.toContain('You wrote a message');
  });

  it('comes in pages that neither repeat nor leave out an entry, also while more is written', async () => {
    const owner = await everkept.signUp();
    const { db } = everkept.database;
    const at = new Date('2026-11-20T12:00:00Z');
    const record = () =>
      recordAudit(everkept.opened, db, { userId: owner.userId, action: 'user.checked_in', resource: 'user', at });
    for (let count = 0; count < 116; count += 1) await record();

    const first = (await owner.browser.send('GET', path)).json();
    await record();
    const second = (await owner.browser.send('GET', `${path}?before=${first.next}`)).json();
    const third = (await owner.browser.send('GET', `${path}?before=${second.next}`)).json();
    const positions = [first, second, third].flatMap(({ entries }) =>
      entries.map((each: { position: number }) => each.position),
    );
    expect([first.entries.length, second.entries.length, third.next]).toEqual([50, 50, null]);
    expect(positions).toEqual(Array.from({ length: 120 }, (_, index) => 120 - index));
  });

  it('is sifted by what it is about, and by days in London', async () => {
    const owner = await everkept.signUp();
    const { db } = everkept.database;
    // Half past midnight in London is still the day before by universal time, in summer.
    const at = new Date('2026-06-30T23:30:00Z');
    await recordAudit(everkept.opened, db, { userId: owner.userId, action: 'release.stopped', resource: 'user', at });
    await recordAudit(everkept.opened, db, { userId: owner.userId, action: 'later.thing', resource: 'user', at });
    const sift = async (query: string) => wordsIn(await owner.browser.send('GET', `${path}?${query}`));

    expect(await sift('kind=release')).toEqual(['You stopped a release']);
    expect(await sift('kind=other')).toEqual(['Something else happened in your account']);
    expect(await sift('kind=sign-in')).toEqual(['You signed in']);
    expect(await sift('from=2026-07-01&to=2026-07-01')).toHaveLength(2);
    expect(await sift('from=2026-06-30&to=2026-06-30')).toEqual([]);
  });

  it('is not sifted by what is no filter', async () => {
    const owner = await everkept.signUp();
    const none = [
      'kind=all',
      'from=yesterday',
      'from=2026-02-30',
      'to=0000-01-01',
      'before=0',
      'before=1e309',
      'before=x',
    ];
    for (const query of none) {
      expect([query, (await owner.browser.send('GET', `${path}?${query}`)).statusCode]).toEqual([query, 400]);
    }
  });

  it('can be taken along as a table or as JSON', async () => {
    const owner = await everkept.signUp();
    const headers = { 'user-agent': '=cmd|calc' };
    const { email, password } = owner;
    await owner.browser.send('POST', '/api/login', { body: { email, password }, headers });
    const csv = await owner.browser.send('GET', `${path}/download?kind=sign-in`);
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(csv.headers['content-disposition']).toContain('everkept-activity.csv');
    const [head, newest] = csv.body.split('\r\n');
    expect(head).toBe('When,What,About,Address,Device');
    expect(newest).toMatch(/^20\d\d-[^,]+,You signed in,sign-in,[\d.]+,"'=cmd\|calc"$/);

    const json = await owner.browser.send('GET', `${path}/download?format=json`);
    expect(json.json()).toHaveLength(5);
    const none = await owner.browser.send('GET', `${path}/download?format=json&kind=release`);
    expect(none.json()).toEqual([]);
  });
});
