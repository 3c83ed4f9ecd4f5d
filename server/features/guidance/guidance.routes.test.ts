import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { type Checklist, checklistSchema } from '#shared/contract/guidance.ts';
import { type ChecklistState, untouchedChecklist } from '#shared/rules/checklists.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { createEverkept, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

async function newOwner(plan: PlanName = 'essential'): Promise<Owner> {
  const owner = await everkept.signUp();
  await setPlan(owner, plan);
  return owner;
}

async function setPlan({ userId }: Owner, plan: PlanName) {
  await everkept.database.db.update(users).set({ plan }).where(eq(users.id, userId));
}

function save(owner: Owner, state: Partial<ChecklistState>, checklistId = 'funeral') {
  const body = { ...untouchedChecklist, ...state };
  return owner.browser.send('PUT', `/api/user/checklists/${checklistId}`, { body });
}

async function kept(owner: Owner): Promise<Checklist[]> {
  const answer = await owner.browser.send('GET', '/api/user/checklists');
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

const ticked = (text: string, changedAtMs: number, isCompleted = true) => ({ text, isCompleted, changedAtMs });
const listed = (text: string, changedAtMs: number, isListed = true) => ({ text, isListed, changedAtMs });

test('a person who changed nothing has nothing kept', async () => {
  expect(await kept(await newOwner())).toEqual([]);
});

test('two devices that were apart come to one list, and of each item the newest change counts', async () => {
  const owner = await newOwner();
  const phone = await save(owner, {
    customItems: [listed('Ask Nell to sing', 1_000), listed('Choose the hymns', 1_000)],
    completedItems: [ticked('Write down your budget', 3_000)],
  });
  expect(phone.statusCode).toBe(200);
  const laptop = await save(owner, {
    customItems: [listed('Choose the hymns', 2_000, false)],
    completedItems: [ticked('Write down your budget', 2_000, false), ticked('Ask Nell to sing', 2_500)],
  });
  const merged = {
    checklistId: 'funeral',
    customItems: [listed('Ask Nell to sing', 1_000), listed('Choose the hymns', 2_000, false)],
    completedItems: [ticked('Ask Nell to sing', 2_500), ticked('Write down your budget', 3_000)],
    resetAtMs: 0,
    updatedAt: expect.any(String),
  };
  expect(laptop.json()).toEqual(merged);
  expect(await kept(owner)).toEqual([merged]);
  expect(checklistSchema.safeParse(laptop.json()).success).toBe(true);
});

test('changes of several devices in parallel are all kept', async () => {
  const owner = await newOwner();
  const texts = ['One', 'Two', 'Three', 'Four', 'Five'];
  const answers = await Promise.all(texts.map((text) => save(owner, { completedItems: [ticked(text, 1_000)] })));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(texts.map(() => 200));
  const [list] = await kept(owner);
  expect(list?.completedItems.map(({ text }) => text).sort()).toEqual([...texts].sort());
});

test('a reset reaches a device that did not know of it', async () => {
  const owner = await newOwner();
  await save(owner, { completedItems: [ticked('One', 1_000)] });
  await save(owner, { resetAtMs: 2_000 });
  const late = await save(owner, { completedItems: [ticked('One', 1_000), ticked('Two', 2_500)] });
  expect(late.json()).toMatchObject({ completedItems: [ticked('Two', 2_500)], resetAtMs: 2_000 });
});

test('a clock that runs fast does not win permanently', async () => {
  const owner = await newOwner();
  const answer = await save(owner, { completedItems: [ticked('One', Date.now() + 1_000_000_000)] });
  const [item] = answer.json<Checklist>().completedItems;
  expect(item?.changedAtMs).toBeLessThan(Date.now() + 60_000);
});

test('a plan without checklists stores none, and still returns those of an earlier plan', async () => {
  const owner = await newOwner();
  await save(owner, { completedItems: [ticked('One', 1_000)] });
  await setPlan(owner, 'free');
  const refused = await save(owner, { completedItems: [ticked('Two', 2_000)] });
  expect([refused.statusCode, refused.json()]).toEqual([
    403,
    {
      message: 'Checklists are available with Essential plan and above.',
      type: 'FEATURE_NOT_IN_PLAN',
      upgradeRequired: true,
    },
  ]);
  const [list] = await kept(owner);
  expect(list?.completedItems).toEqual([ticked('One', 1_000)]);
});

test("an owner can neither read nor change another owner's lists", async () => {
  const owner = await newOwner();
  await save(owner, { completedItems: [ticked('One', 1_000)] });
  expect(await kept(await newOwner())).toEqual([]);
  const nobody = await everkept.app.inject({ method: 'GET', url: '/api/user/checklists' });
  expect(nobody.statusCode).toBe(401);
});

test('an invalid item is refused', async () => {
  const owner = await newOwner();
  const refused = [
    { customItems: [listed('  ', 1_000)] },
    { customItems: [listed('x'.repeat(201), 1_000)] },
    { customItems: [listed('two\nlines', 1_000)] },
    { completedItems: [ticked('One', -1)] },
    { completedItems: Array.from({ length: 201 }, (_, at) => ticked(`Item ${at}`, 1_000)) },
  ];
  for (const state of refused) expect((await save(owner, state)).statusCode).toBe(400);
  expect((await save(owner, {}, 'garden')).statusCode).toBe(404);
  expect(await kept(owner)).toEqual([]);
});

test('typed items are in no row and no line of the log, and a row moved to another owner does not open', async () => {
  const owner = await newOwner();
  await save(owner, {
    customItems: [listed('The marmalade is behind the piano', 1_000)],
    completedItems: [ticked('The kingfisher is in the attic', 1_000)],
  });
  const seen = [...(await dumpRows(everkept.database)), ...everkept.log].join('\n');
  expect(seen).not.toMatch(/marmalade|kingfisher/);

  const thief = await newOwner();
  await everkept.database.db.execute(
    sql`update user_checklists set user_id = ${thief.userId} where user_id = ${owner.userId}`,
  );
  const stolen = await thief.browser.send('GET', '/api/user/checklists');
  expect(stolen.json()).toMatchObject([{ isDamaged: true, customItems: [], completedItems: [] }]);
  expect(stolen.body).not.toMatch(/marmalade|kingfisher/);
});

test('a tick is a sign of life', async () => {
  const owner = await newOwner();
  await save(owner, { completedItems: [ticked('One', 1_000)] });
  const { rows } = await everkept.database.db.execute(
    sql`select 1 from checkins where user_id = ${owner.userId} and type = 'change'`,
  );
  expect(rows).not.toEqual([]);
});
