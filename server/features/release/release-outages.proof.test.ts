import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createReleaseWorld, nowhere, type Owner, type ReleaseWorld } from './release.test-world.ts';

/** Every test stops the service on this day of each owner's silence. */
const stoppedOnDay = 94;
/** Long enough for each owner's letter to arrive, however short the outage was. */
const livedAfterwardsDays = 105;

/** The healthy days there must be from one mail to a later one, whatever happened to the service between them. */
const windows = [
  { from: 'release.first_reminder', to: 'release.last_reminder', days: 7 },
  { from: 'release.last_reminder', to: 'release.contact_asked', days: 10 },
  { from: 'release.contact_asked', to: 'delivery.letter', days: 7 },
] as const;
/** The last one goes to a recipient who has not opened a letter that was delivered before. */
const reminders: readonly string[] = ['release.first_reminder', 'release.last_reminder', 'delivery.reminder'];
/** Daily mail to an owner while letters wait for them, with the way to stop. */
const daily = 'release.owner_holding_on';
const laterDay = ['release.contact_delayed', 'release.owner_delayed'];

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.clear();
  expect(world.logged.splice(0)).toEqual([]);
});

async function ownerWho(settings: Parameters<ReleaseWorld['newOwner']>[0], recipient = 'nell@post.example') {
  const owner = await world.newOwner(settings);
  const contact = await world.befriend(owner, 'Priya');
  await world.write(owner, recipient);
  return { owner, contact };
}

/** One owner in each state, on the day on which the service stops. */
async function ownersInEveryState() {
  const owners = {
    watching: await ownerWho({ inactivityDays: 190 }),
    reminded: await ownerWho({ inactivityDays: 120 }),
    warned: await ownerWho({ inactivityDays: 100 }),
    asking: await ownerWho({ inactivityDays: 90 }),
    paused: await ownerWho({ inactivityDays: 90 }),
    holding: await ownerWho({ inactivityDays: 365, releaseWaitingDays: 10 }),
    releasing: await ownerWho({ inactivityDays: 90 }, 'nell@slow.example'),
    released: await ownerWho({ inactivityDays: 90 }),
  };
  const { holding, paused, releasing, released } = owners;
  await world.live(89);
  await world.releases.requestEmergency({
    ownerId: holding.owner.userId,
    contactId: holding.contact.id,
    origin: nowhere,
  });
  await world.live(1);
  await world.answer(holding.contact, true);
  await world.live(2);
  await world.answer(paused.contact, false);
  await world.answer(released.contact, true);
  await world.live(1.9);
  world.mailer.answer(({ to }) =>
    to.address === 'nell@slow.example' ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
  );
  await world.answer(releasing.contact, true);
  await world.live(0.1);
  return owners;
}

/** Every mail about an owner, and on which day that the service lived through: the days of the outage are none. */
async function livedStory(owner: Owner, outageDays: number) {
  const lines = (await world.story(owner)).map((line) => line.split(' '));
  return lines.map(([day = '', kind = '']) => {
    const lived = Number(day) > stoppedOnDay ? Number(day) - outageDays : Number(day);
    return { day: lived, kind };
  });
}

test.each([1, 7, 30, 200])(
  'after an outage (%i d) in every state, reminders come first and every window is whole',
  async (outageDays) => {
    const owners = await ownersInEveryState();
    for (const [state, { owner }] of Object.entries(owners)) {
      const seen = await world.stateOf(owner);
      expect(seen, `the owner who is ${state}`).toBe(state);
    }
    const before = new Map<string, number>();
    for (const [state, { owner }] of Object.entries(owners)) before.set(state, (await world.story(owner)).length);

    await world.jump(outageDays);
    world.mailer.answer(null);
    await world.live(0.9);
    for (const [state, { owner }] of Object.entries(owners)) {
      const sent = (await livedStory(owner, outageDays)).slice(before.get(state)).map(({ kind }) => kind);
      // A confirmed request is already being delivered, and continues.
      if (state === 'releasing') expect(sent).toContain('delivery.letter');
      else {
        const others = sent.filter((kind) => !reminders.includes(kind) && !laterDay.includes(kind));
        expect(others, state).toEqual(state === 'holding' ? [daily] : []);
        // People who know a day that the outage has moved get the new one.
        const isMoved = state === 'asking' && outageDays >= 7;
        expect(
          laterDay.filter((kind) => sent.includes(kind)),
          state,
        ).toEqual(isMoved ? laterDay : []);
      }
    }
    const first = (await livedStory(owners.watching.owner, outageDays)).map(({ kind }) => kind);
    expect(first).toEqual(['release.first_reminder']);

    await world.live(livedAfterwardsDays);
    for (const [state, { owner }] of Object.entries(owners)) {
      const story = await livedStory(owner, outageDays);
      const letters = story.filter(({ kind }) => kind === 'delivery.letter');
      expect(letters, `letters of the owner who was ${state}`).toHaveLength(1);
      const isDecided = state === 'releasing' || state === 'released' || state === 'holding';
      for (const { from, to, days } of isDecided ? windows.slice(0, 2) : windows) {
        const begun = story.findLast(({ kind }) => kind === from);
        const ended = story.findLast(({ kind }) => kind === to);
        if (begun && ended) expect(ended.day - begun.day, `${state}: ${from} to ${to}`).toBeGreaterThanOrEqual(days);
      }
    }
    const dayOf = async ({ owner }: { owner: Owner }, kind: string) =>
      (await livedStory(owner, outageDays)).findLast((line) => line.kind === kind)?.day ?? 0;
    expect(await dayOf(owners.holding, 'delivery.letter')).toBeGreaterThanOrEqual(100);
    expect(await dayOf(owners.paused, 'release.contact_asked')).toBeGreaterThanOrEqual(122);
  },
);
