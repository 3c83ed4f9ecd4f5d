import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import type { TestPasskey } from '#server/features/sessions/second-factors/passkey.test-world.ts';
import {
  addPasskey,
  usePasskeyAt as answerAt,
  stepPaths,
} from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import { sessionCookieNames } from '#tests/support/app.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';
import { createWorld, googleVouchingFor, type World } from '#tests/support/everkept-world.ts';
import { type Canaries, faultOf } from './faults.ts';
import { hasGrown, type Sample, sampleMemory, slopeOf } from './memory.ts';
import { type Actor, type Hostile, hostileRequest, wireOf } from './requests.ts';
import { type Answer, bytesOf, exchange } from './wire.ts';

export type Wish = { requests: number; seed: number; minutes: number; say: (line: string) => void };
export type Outcome = { sent: number; statuses: Map<number, number>; faults: string[]; samples: Sample[] };

/** Requests under way at once; they share one process with the server. */
const lanes = 4;
const tenths = 10;
const shownMax = 1_500;
const errorLevel = 50;

type Ground = {
  everkept: Everkept;
  port: number;
  world: World;
  canaries: Canaries;
  ownersPasskey: TestPasskey;
  outcome: Outcome;
  /** Requests during which the log spoke of an error, by the id in their answer. */
  failed: Map<string, string>;
};

/** Sends the wished number of requests, or as many as the minutes allow, and returns the faults. */
export async function runHostile(wish: Wish): Promise<Outcome> {
  const everkept = await createEverkept({ google: googleVouchingFor(() => 'olive@people.example') });
  try {
    await everkept.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = everkept.app.server.address() as AddressInfo;
    const outcome: Outcome = { sent: 0, statuses: new Map(), faults: [], samples: [] };
    const ground: Ground = { everkept, port, ...(await newWorld(everkept)), outcome, failed: new Map() };
    const endsAtMs = Date.now() + wish.minutes * 60_000;
    for (let tenth = 0; tenth < tenths && Date.now() < endsAtMs && outcome.faults.length === 0; tenth += 1) {
      await Promise.all(
        Array.from({ length: lanes }, (_, lane) => runLane(ground, wish, { at: tenth * lanes + lane, endsAtMs })),
      );
      await tidy(ground);
      outcome.samples.push(sampleMemory());
      wish.say(lineOf(outcome));
    }
    if (hasGrown(outcome.samples)) outcome.faults.push('Memory grew.');
    wish.say(
      `slope of a tenth after the warm-up: ${slopeOf(outcome.samples.map(({ heap }) => heap)).toFixed(2)} MiB of heap`,
    );
    return outcome;
  } finally {
    await everkept.close();
  }
}

/** People, each with words that no one else may read. */
async function newWorld(everkept: Everkept): Promise<Pick<Ground, 'world' | 'canaries' | 'ownersPasskey'>> {
  const world = await createWorld(everkept);
  const canaries = { owner: newCanary(), stranger: newCanary(), administrator: newCanary() };
  for (const [who, canary] of Object.entries(canaries)) {
    const person = world[who as keyof Canaries];
    await everkept.write(person, { title: canary, content: canary, recipientEmail: `${canary}@family.example` });
    const contact = { name: `Ada ${canary}`, email: `ada.${canary}@friends.example` };
    await person.browser.send('POST', '/api/trusted-contacts', { body: contact });
  }
  const { passkey } = await addPasskey(world.owner.browser);
  return { world, canaries, ownersPasskey: passkey };
}

let canariesMade = 0;

function newCanary(): string {
  canariesMade += 1;
  return `cnry${process.pid}x${canariesMade}x`;
}

async function runLane(ground: Ground, wish: Wish, { at, endsAtMs }: { at: number; endsAtMs: number }): Promise<void> {
  const property = fc.asyncProperty(hostileRequest, async (hostile) => {
    const { fault, shown } = await attempt(ground, hostile);
    if (fault) throw new Fault(`${fault}\n${shown}`);
  });
  const result = await fc.check(property, {
    seed: wish.seed * 1_000 + at,
    numRuns: Math.ceil(wish.requests / tenths / lanes),
    interruptAfterTimeLimit: Math.max(1, endsAtMs - Date.now()),
  });
  if (!result.failed || !result.counterexample) return;
  const [smallest] = result.counterexample;
  const drawn = JSON.stringify(smallest).slice(0, shownMax);
  ground.outcome.faults.push(
    `seed ${wish.seed}, ${result.numShrinks} times made smaller: ${drawn}\n${reasonOf(result.errorInstance)}`,
  );
}

/** A fault of an answer. Other errors come from the request or from this harness. */
class Fault extends Error {}

function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.message;
  return `The request threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

let calls = 0;

async function attempt(ground: Ground, hostile: Hostile): Promise<{ fault: string | null; shown: string }> {
  calls += 1;
  const { world, port, canaries, outcome } = ground;
  const cookie = cookieOf(world, hostile.actor);
  const address = `10.${(calls >> 10) & 15}.${(calls >> 5) & 31}.${calls & 31}`;
  const bytes = bytesOf(wireOf(hostile, world, { cookie, address }), hostile.framing);
  const answer = await exchange(port, bytes, hostile.framing);
  outcome.sent += 1;
  outcome.statuses.set(answer.status, (outcome.statuses.get(answer.status) ?? 0) + 1);
  keepCookie(world, hostile.actor, answer);
  readLog(ground);
  const logged = ground.failed.get(answer.headers.get('x-request-id') ?? '');
  const fault = faultOf(hostile, answer, canaries) ?? (logged ? `The log says: ${logged}` : null);
  return { fault, shown: fault ? bytes.toString('latin1').slice(0, shownMax) : '' };
}

const cookieOf = (world: World, actor: Actor) => (actor === 'visitor' ? null : world[actor].browser.cookie);

/** A session gets another token with a fresh sign-in, as a browser would keep it. */
function keepCookie(world: World, actor: Actor, { cookies }: Answer): void {
  const renewed = cookies.find((pair) => sessionCookieNames.has(pair.split('=')[0] ?? '') && !pair.endsWith('='));
  if (actor !== 'visitor' && renewed) world[actor].browser.cookie = renewed;
}

/** Takes the lines of the log that were written since the last look, and keeps those that speak of an error. */
function readLog({ everkept, failed }: Pick<Ground, 'everkept' | 'failed'>): void {
  for (const line of everkept.log.splice(0)) {
    const { level, reqId = 'of no request' } = JSON.parse(line) as { level: number; reqId?: string };
    if (level >= errorLevel) failed.set(reqId, line.slice(0, shownMax));
  }
}

/** Sends waiting mails, clears records of the test, and signs in again the people who were signed out. */
async function tidy(ground: Ground): Promise<void> {
  const { everkept, failed, outcome } = ground;
  await everkept.work();
  readLog(ground);
  if (outcome.faults.length === 0) outcome.faults.push(...[...failed.values()].map((line) => `The log says: ${line}`));
  failed.clear();
  everkept.mailer.clear();
  everkept.texter.clear();
  for (const who of ['owner', 'stranger', 'administrator'] as const) await keepSignedIn(ground, who);
}

async function keepSignedIn({ everkept, world, ownersPasskey }: Ground, who: keyof Canaries): Promise<void> {
  const { browser, email, password } = world[who];
  if ((await browser.send('GET', '/api/user')).statusCode === 200) return;
  if (who !== 'owner') return everkept.signIn(world[who]);
  await browser.send('POST', '/api/login', { body: { email, password } });
  await answerAt(browser, ownersPasskey, stepPaths);
}

function lineOf({ sent, statuses, samples }: Outcome): string {
  const counted = [...statuses].sort(([one], [other]) => one - other).map(([status, count]) => `${status}: ${count}`);
  const { rss = 0, heap = 0 } = samples.at(-1) ?? {};
  return `${sent} sent, RSS ${rss.toFixed(0)} MiB, heap ${heap.toFixed(1)} MiB; ${counted.join(', ')}`;
}
