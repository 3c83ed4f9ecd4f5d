import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSources } from '#tests/architecture/sources.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';
import { csvLine } from './activity.csv.ts';
import { tellActivity, toldActions } from './activity.words.ts';

/** Every action that the source can write down: whole ones, and those that a release puts together. */
function actionsInSource(): string[] {
  const sources = readSources().filter(({ path }) => /^server\/(?!.*\.(test|emails|test-world)\.ts$)/.test(path));
  const lines = sources.flatMap(({ path, text }) => text.split('\n').map((line) => ({ path, line })));
  const named = lines.flatMap(({ line }) => {
    const isAct = /\baction\b|record\(tx,|settingsSaved =/.test(line) && !/^\s*(\/\/|\/?\*)/.test(line);
    return isAct ? [...line.matchAll(/'([a-z]+\.[a-z_-]+)'/g)].map(([, action]) => action ?? '') : [];
  });
  const inRelease = lines
    .filter(
      ({ path, line }) =>
        /^server\/features\/(release|redelivery)\//.test(path) && /\baction: '|const decision =/.test(line),
    )
    .flatMap(({ line }) => [...line.matchAll(/(?:action:|\?|:|\|) '([a-z_]+)'/g)])
    .map(([, action]) => action ?? '')
    .filter((action) => action !== 'change' && action !== 'manual');
  const steps = /export type Step =([^;]+);/.exec(
    readFileSync('server/features/release/release-decision.rules.ts', 'utf8'),
  )?.[1];
  const ofSteps = [...(steps ?? '').matchAll(/'(\w+)'/g)].map(([, step]) => step ?? '');
  const outcomes = readFileSync('server/features/release/release-outcomes.service.ts', 'utf8');
  const mails = [...outcomes.matchAll(/key\.what === '(\w+)'/g)].map(([, what]) => what ?? '').concat('contact_asked');
  const ended = mails.flatMap((what) => [`${what}_accepted`, `${what}_failed`]);
  return [...new Set([...named, ...[...inRelease, ...ofSteps, ...ended].map((action) => `release.${action}`)])];
}

describe('the words of the log', () => {
  const actions = actionsInSource();

  it('are looked for where they are', () => {
    expect(actions.length).toBeGreaterThan(60);
    for (const action of ['session.start', 'contact.accept', 'release.ask', 'release.confirmed', 'delivery.opened']) {
      expect(actions).toContain(action);
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

  it('say how somebody signed in', () => {
    const words = (details: Record<string, unknown>) => tellActivity('session.start', details).words;
    expect(words({ method: 'password' })).toBe('You signed in');
    expect(words({ method: 'google', secondFactor: 'authenticator' })).toBe(
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

  it('is told in plain words, the newest first, and is nobody else’s', async () => {
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
    const { audit } = everkept.services;
    const at = new Date('2026-11-20T12:00:00Z');
    const record = () => audit.record(db, { userId: owner.userId, action: 'user.checked_in', resource: 'user', at });
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
    const { audit } = everkept.services;
    // Half past midnight in London is still the day before by universal time, in summer.
    const at = new Date('2026-06-30T23:30:00Z');
    await audit.record(db, { userId: owner.userId, action: 'release.stopped', resource: 'user', at });
    await audit.record(db, { userId: owner.userId, action: 'later.thing', resource: 'user', at });
    const sift = async (query: string) => wordsIn(await owner.browser.send('GET', `${path}?${query}`));

    expect(await sift('kind=release')).toEqual(['You stopped a release']);
    expect(await sift('kind=other')).toEqual(['Something else was done in your account']);
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
