import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getReleaseSettings, updateReleaseSettings } from '#shared/contract/release/release.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;
let owner: Owner;

beforeAll(async () => {
  everkept = await createEverkept();
  owner = await everkept.signUp();
});

afterAll(() => everkept.close());

const save = (body: Record<string, unknown>) => owner.browser.send('PUT', updateReleaseSettings.path, { body });
const saved = async () => (await owner.browser.send('GET', getReleaseSettings.path)).json();

describe('a new account', () => {
  test('has a check-in interval of 30 days', async () => {
    const { checkinIntervalDays } = (await owner.browser.send('GET', '/api/auth/user')).json();
    expect(checkinIntervalDays).toBe(30);
  });
});

describe('release settings', () => {
  test.each([
    { releaseMethod: 'inactivity', inactivityDays: 90 },
    { releaseMethod: 'inactivity', inactivityDays: 365 },
    { releaseMethod: 'trusted_contact', inactivityDays: 180 },
    { releaseMethod: 'trusted_contact', inactivityDays: 90 },
  ])('are kept: %j', async (settings) => {
    const answer = await save(settings);
    expect([answer.statusCode, answer.json()]).toEqual([200, settings]);
    expect(await saved()).toEqual(settings);
  });

  test.each([
    { releaseMethod: 'inactivity', inactivityDays: 89 },
    { releaseMethod: 'inactivity', inactivityDays: 366 },
    { releaseMethod: 'inactivity', inactivityDays: 90.5 },
    { releaseMethod: 'inactivity', inactivityDays: '180' },
    { releaseMethod: 'inactivity' },
    { releaseMethod: 'trusted_contact', inactivityDays: 0 },
    { releaseMethod: 'at_once', inactivityDays: 180 },
    { inactivityDays: 180 },
  ])('are refused, and change nothing: %j', async (settings) => {
    const before = await saved();
    const answer = await save(settings);
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { type: 'VALIDATION' }]);
    expect(await saved()).toEqual(before);
  });
});
