import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { App } from '#server/app.ts';
import { advanceTestClock } from '#server/features/release/test-clock.ts';
import { appOf } from '#server/main.ts';
import { roundsOf } from '#server/worker.ts';
import { createDemoPeople, type DemoFile, type DemoPeople, type DemoPerson } from './demo-people.ts';
import { firstWeeksNotes, numbers, paperFile, will } from './papers.ts';
import { recordTune } from './tune.ts';

const dayMs = 86_400_000;
/** Time since the silent people were last here: their silence of 90 days ended two days ago. */
const storyDays = 92;
/** Time since the first person joined, and the interval of her visits. */
const lifeDays = 184;
const visitDays = 23;
/** Length of one person's absence. */
const journeyDays = 60;

type CastMember = { email: string; shows: string };

/** Accounts to sign in to, and what they show. Signing in ends no one's story. */
const awake: readonly CastMember[] = [
  {
    email: 'olive@demo.example',
    shows: 'a full vault, paid for by the month; contacts in every state; Trustee of Wanda',
  },
  { email: 'wanda@demo.example', shows: 'a new vault, whose trustee is Olive; away on a journey' },
  { email: 'una@demo.example', shows: 'an address that is not verified yet' },
  {
    email: 'grace@demo.example',
    shows: 'released: two letters went out, one was opened; Ada may read the first weeks',
  },
];

/** Accounts that show a silence. Signing in is a sign of life and ends it. */
const silent: readonly CastMember[] = [
  { email: 'rhea@demo.example', shows: 'silent, and reminded once' },
  { email: 'warren@demo.example', shows: 'silent, and warned for the last time' },
  { email: 'silas@demo.example', shows: 'silent; his contact is being asked' },
  { email: 'pavel@demo.example', shows: 'silent; his contact said that he is alive' },
  {
    email: 'hester@demo.example',
    shows: 'not silent; her contact asked early, and her letter waits three days for her',
  },
];

export const demoCast = { awake, silent };

/**
 * Fills an empty installation by living through half a year that ends now: people join, write, fall silent, are asked about.
 * Everything happens through the same services and rules as in earnest. The installation must have the test clock.
 */
export async function playDemo(installation: App): Promise<void> {
  const app = await appOf(installation);
  const rounds = roundsOf(installation);
  const people = createDemoPeople(installation, app, rounds);
  const world = { app: installation, rounds, hasDailyTasks: false };
  const live = (days: number) => advanceTestClock({ ...world, ms: Math.round(days * dayMs) });
  try {
    await setBack(installation, lifeDays);
    const { email: olive } = await people.join({ firstName: 'Olive', lastName: 'Ashworth' });
    await people.buy(await people.signIn(olive), 'premium', 'monthly');
    for (let lived = 0; lived < lifeDays - storyDays; lived += visitDays) {
      await live(visitDays);
      await people.signIn(olive);
    }
    await threeWhoFallSilent(people);
    await live(11);
    await oneWhoIsWarned(people);
    await live(29);
    await people.signIn(olive);
    await oneWhoIsReminded(people);
    await live(26);
    await people.signIn(olive);
    const hester = await oneWhoIsAskedAboutEarly(people);
    await live(25);
    await people.askEarly(hester, adaOf('hester'), 'Hester died in hospital last night.');
    await people.decide('ada.grace@demo.example', true, 'We buried Grace on Tuesday.');
    await people.decide('ada.hester@demo.example', true, 'Hester died in hospital last night. I was with her.');
    await people.decide('ada.pavel@demo.example', false, 'He is at sea until spring, and well.');
    await live(0.5);
    await people.open('nell.grace@demo.example');
    await live(0.5);
    await today(people, await people.signIn(olive), await installation.clock.now());
  } finally {
    await app.close();
    await setBack(installation, 0);
  }
}

/** Resets the highest time that was seen, since no one has used this installation yet. */
async function setBack({ db }: App, days: number): Promise<void> {
  await db.execute(sql`
    update service_health set clock_offset_ms = ${-days * dayMs}, clock_lived_ms = 0
      ${days > 0 ? sql`, last_beat_at = null, highest_seen_at = null, healthy_ms = 0` : sql``}`);
}

async function threeWhoFallSilent(people: DemoPeople): Promise<void> {
  for (const [firstName, lastName] of [
    ['Grace', 'Bell'],
    ['Silas', 'Wren'],
    ['Pavel', 'Novak'],
  ] as const) {
    const person = await people.join({ firstName, lastName });
    await people.choose(person, { releaseMethod: 'trusted_contact', inactivityDays: 90 });
    const word = firstName.toLowerCase();
    if (firstName === 'Grace') await people.buy(person, 'essential', 'annual');
    const letter = await people.write(person, {
      title: 'For Nell, on the kettle',
      content: 'Put the kettle on first. Everything else can wait until you have sat down.\n\nThen ring your brother.',
      recipientEmail: `nell.${word}@demo.example`,
    });
    if (firstName === 'Grace') {
      const caption = 'The red one. It whistles in C.';
      await people.enclose(person, letter, { ...(await drawn('kettle.jpg')), caption, afterParagraph: 1 });
    }
    await people.write(person, {
      title: 'Where things are',
      content: 'The boiler man is called Tom. The blue folder has the rest.',
      recipientEmail: `tom.${word}@demo.example`,
    });
    await people.note(person, firstWeeksNotes);
    await people.name(person, { ...adaOf(word), seesFirstWeeks: true }, true);
  }
}

/** The contact of each of them is another Ada. */
function adaOf(word: string) {
  return { name: 'Ada Shah', email: `ada.${word}@demo.example`, relationship: 'Sister' };
}

async function oneWhoIsAskedAboutEarly(people: DemoPeople): Promise<DemoPerson> {
  const hester = await people.join({ firstName: 'Hester', lastName: 'Lowe' });
  await people.buy(hester, 'essential', 'monthly');
  const letter = await people.write(hester, {
    title: 'For Jonah',
    content: 'The piano is yours. Have it tuned before you move it, and after.',
    recipientEmail: 'jonah.hester@demo.example',
  });
  await people.enclose(hester, letter, {
    ...{ fileName: 'our tune.wav', content: recordTune() },
    caption: 'How it sounds when it is in tune',
    transcript: 'A round on the piano, played slowly. Nobody sings.',
  });
  await people.name(hester, adaOf('hester'), true);
  return hester;
}

async function oneWhoIsWarned(people: DemoPeople): Promise<void> {
  const warren = await people.join({ firstName: 'Warren', lastName: 'Hale' });
  await people.write(warren, {
    title: 'The allotment',
    content: 'The key hangs behind the shed. Let the beans go to Mrs Okri.',
    recipientEmail: 'ben.warren@demo.example',
  });
}

async function oneWhoIsReminded(people: DemoPeople): Promise<void> {
  const rhea = await people.join({ firstName: 'Rhea', lastName: 'Stone' });
  await people.write(rhea, {
    title: 'To my brother',
    content: 'You were right about the boat.',
    recipientEmail: 'leo.rhea@demo.example',
  });
}

/** One of our drawings. */
async function drawn(fileName: string): Promise<DemoFile> {
  return { fileName, content: await readFile(join(import.meta.dirname, 'pictures', fileName)) };
}

const nell = { name: 'Nell', relation: 'my daughter', email: 'nell@demo.example' };

async function today(people: DemoPeople, olive: DemoPerson, now: Date): Promise<void> {
  await people.join({ firstName: 'Una', lastName: 'Marsh', isVerified: false });
  const quiet = await people.write(
    olive,
    {
      title: 'For Nell, when the house is quiet',
      content: 'You will find this strange at first, a letter from me. Make tea.\n\nThen read the second one.',
      recipients: [nell],
    },
    await drawn('kettle.webm'),
  );
  const caption = 'You at Whitby, the year of the kite';
  await people.enclose(olive, quiet, { ...(await drawn('beach.jpg')), caption, afterParagraph: 1 });
  await people.enclose(olive, quiet, {
    ...{ fileName: 'the round.wav', content: recordTune() },
    caption: 'The one you always asked for',
    transcript: 'A round on the piano, played slowly. Nobody sings.',
  });
  await people.write(olive, {
    title: 'The second one',
    content: 'I was happy. Most of it was you.',
    recipients: [nell],
    status: 'draft',
  });
  await people.write(olive, {
    title: 'Bank and bills',
    content: 'Everything is with the building society in the High Street. Ask for Mr Shah.',
    recipients: [{ name: 'Ben', relation: 'my neighbour', email: 'ben@demo.example' }, nell],
  });
  await people.keep(olive, {
    name: 'My will',
    category: 'legal',
    file: await paperFile(will),
  });
  await people.keep(olive, {
    name: 'Who to ring',
    category: 'personal',
    file: await paperFile(numbers),
  });
  await people.keep(olive, { name: 'For the frame in the hall', category: 'personal', file: await drawn('beach.jpg') });
  await people.keep(olive, {
    name: 'The kettle, and how to fill it',
    category: 'other',
    file: await drawn('kettle.webm'),
  });
  await people.note(olive, firstWeeksNotes);
  const ada = { name: 'Ada Shah', email: 'ada@demo.example', relationship: 'Friend', seesFirstWeeks: true };
  await people.name(olive, ada, true);
  await people.name(olive, { name: 'Ben Okri', email: 'ben@demo.example', relationship: 'Neighbour' });
  await people.name(olive, { name: 'Leo Stone', email: 'leo@demo.example', relationship: 'Cousin' }, false);
  const wanda = await people.join({ firstName: 'Wanda', lastName: 'Birch' });
  await people.write(wanda, {
    title: 'To all of you',
    content: 'Sing the loud one.',
    recipientEmail: 'choir@demo.example',
  });
  await people.name(wanda, { name: 'Olive Ashworth', email: olive.email, relationship: 'Friend' }, true);
  await people.goAway(wanda, new Date(now.getTime() + journeyDays * dayMs).toISOString().slice(0, 10));
}
