import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writingQuestions } from '#shared/rules/letters/writing-questions.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { sendDueWritingQuestions } from './writing-questions.ts';

let everkept: Everkept;
let owner: Owner;
beforeAll(async () => {
  everkept = await createEverkept();
});
beforeEach(async () => {
  owner = await everkept.signUp();
  everkept.mailer.clear();
});
afterAll(() => everkept.close());

const path = '/api/user/writing-questions';
const choose = (isWanted: boolean) => owner.browser.send('PUT', path, { body: { isWanted } });
const mails = () =>
  everkept.mailer.sent.filter(({ to, headers }) => to.address === owner.email && headers?.['List-Unsubscribe']);
const questionsSent = () => mails().map(({ subject }) => subject);
const tokenIn = (text: string) => /\/news\/([\w-]{43})/.exec(text)?.[1] ?? '';
/** Lets days pass for an owner who checks in, and so never gets a reminder. */
async function liveFor(days: number) {
  for (let day = 0; day < days; day += 5) {
    await everkept.live(5);
    await everkept.database.db.execute(sql`
      update users set last_checkin_at = clock_timestamp() + clock_offset_ms * interval '1 millisecond'
      from service_health where users.id = ${owner.userId}`);
    await sendDueWritingQuestions(everkept.opened);
    await everkept.work();
  }
}

describe('a question a month', () => {
  test('is sent only to owners who chose it', async () => {
    expect((await owner.browser.send('GET', path)).json()).toEqual({ isWanted: false, nextAt: null });
    await liveFor(60);
    expect(questionsSent()).toEqual([]);
  });

  test('comes every thirty days, another each time, with a way to begin and a way to stop', async () => {
    const chosen = (await choose(true)).json<{ isWanted: boolean; nextAt: string }>();
    expect(chosen.isWanted).toBe(true);
    await liveFor(25);
    expect(questionsSent()).toEqual([]);
    await liveFor(5);
    expect(questionsSent()).toEqual([writingQuestions[0].question]);
    expect(mails()[0]?.text).toContain('/login?question=0');
    await liveFor(30);
    expect(questionsSent()).toEqual([writingQuestions[0].question, writingQuestions[1].question]);
    expect(tokenIn(mails()[0]?.text ?? '')).toBe(tokenIn(mails()[1]?.text ?? '-'));
  });

  test('is stopped by the link of any of them, by a mail program’s button too, which is no sign of life', async () => {
    await choose(true);
    await liveFor(30);
    const token = tokenIn(mails()[0]?.text ?? '');
    const seen = await createBrowser(everkept.app).send('GET', `/api/news/${token}`);
    expect(seen.json()).toMatchObject({ about: 'questions', wantsNews: true });
    const lastSeen = async () => {
      const { rows } = await everkept.database.db.execute(
        sql`select last_checkin_at from users where id = ${owner.userId}`,
      );
      return rows[0];
    };
    const before = await lastSeen();
    expect((await createBrowser(everkept.app).send('POST', `/api/news/${token}/stop`)).statusCode).toBe(200);
    expect(await lastSeen()).toEqual(before);
    await everkept.signIn(owner);
    expect((await owner.browser.send('GET', path)).json()).toEqual({ isWanted: false, nextAt: null });
    await liveFor(60);
    expect(questionsSent()).toHaveLength(1);
    expect(
      (await createBrowser(everkept.app).send('POST', `/api/news/${token}`, { body: { wantsNews: true } })).json(),
    ).toMatchObject({
      about: 'questions',
      wantsNews: true,
    });
    await everkept.signIn(owner);
    expect((await owner.browser.send('GET', path)).json().isWanted).toBe(true);
  });

  test('waits while reminders ask whether its owner is still there', async () => {
    await choose(true);
    await everkept.live(80);
    expect(await sendDueWritingQuestions(everkept.opened)).toBe(0);
    await everkept.signIn(owner);
    expect(await sendDueWritingQuestions(everkept.opened)).toBe(1);
  });

  test('is sent once, even if several workers find it due', async () => {
    await choose(true);
    await everkept.jump(31);
    await Promise.all(Array.from({ length: 5 }, () => sendDueWritingQuestions(everkept.opened)));
    await everkept.work();
    expect(questionsSent()).toHaveLength(1);
  });

  test('one that has not left yet is cancelled with the stop', async () => {
    await choose(true);
    await everkept.jump(31);
    await sendDueWritingQuestions(everkept.opened);
    await choose(false);
    await everkept.work();
    expect(questionsSent()).toEqual([]);
  });
});
