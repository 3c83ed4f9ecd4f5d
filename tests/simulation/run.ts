import type pg from 'pg';
import { applyLedger } from '#server/features/deletion/erasure.ts';
import { reportJob } from '#server/platform/mail/read-report.ts';
import { jobCounts } from '#server/platform/threads/pool.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import type { Sink } from '#tests/simulation/oracle/checker.ts';
import { writtenApart } from '#tests/simulation/oracle/checker-ledger.ts';
import { type Happened, whatHappened } from '#tests/simulation/oracle/happened.ts';
import { createLookout } from '#tests/simulation/oracle/lookout.ts';
import { createRefinement } from '#tests/simulation/oracle/refinement.ts';
import { noteActivity, whenOf } from '#tests/simulation/people/notes.ts';
import { createOwner, createOwnerActs, type Owner } from '#tests/simulation/people/owners.ts';
import { createPost, type Handed, type Weather } from '#tests/simulation/people/post.ts';
import { createReaders } from '#tests/simulation/people/readers.ts';
import { createAgenda } from './agenda.ts';
import { createBackups } from './backups.ts';
import { openMachine, type Process, type ProcessName } from './machine.ts';
import { createOperator } from './operator.ts';
import { randomOf } from './random.ts';
import {
  type Fault,
  faultsOf,
  happens,
  isMailboxClosed,
  type MailboxTrouble,
  ownersOf,
  type Scenario,
} from './scenario.ts';
import { createWorldTime } from './time.ts';
import { createTurns, type Killing, Stuck } from './turns.ts';
import { createWork, type Deed, roundGapsMinutes, type WorkerName } from './work.ts';

export type Result = {
  /** Broken promises with their day; empty if all were kept. */
  broken: string[];
  /** A digest of every statement, mail and death, in their order. */
  trace: string;
  ownerYears: number;
  turns: number;
  moments: number;
  killed: number;
  releases: number;
  /** Steps of the core that were found in committed transactions, and nothing else. */
  steps: number;
  happened: Happened;
  handed: readonly Handed[];
  /** Keys with which an outside checker reads the stored data. */
  keys: Sink['keys'];
  /** By the service's clock, ISO 8601. */
  closedAt: string;
};

const startMs = Date.UTC(2030, 0, 1, 9);
const minuteMs = 60_000;
/** Longest time between two checks for due work: unopened letters have no next step of their own. */
const longestQuietMs = 3 * dayMs;
/** Probability that the operator freezes everything when mail is queued that advances a release. */
const brakeChance = 0.1;
/** Permanently frozen owners are never late, so most of a run must be without a freeze. */
const brakesMax = 3;
/** At the end all troubles are over, and whatever is owed has this long to come. */
const drainDays = 45;

type Planned = Deed | { kind: 'fault'; fault: Fault; isBeginning: boolean } | { kind: 'resume' };

type Options = {
  connection: pg.ClientConfig;
  onLine?: (line: string) => void;
  /** Number of broken promises that ends a run. */
  brokenMax?: number;
};

/** Answer of a mailbox that accepts nothing on this day; null if it accepts mail. */
function troubleOf(scenario: Scenario, owners: readonly Owner[], { address, day }: { address: string; day: number }) {
  const isOn = (trouble: MailboxTrouble | null) =>
    trouble !== null && day >= trouble.fromDay && day < trouble.untilDay ? trouble.answer : null;
  for (const { plan, email, contacts, letters } of owners) {
    if (email === address) {
      const isFull = plan.mailboxFullDay !== null && day >= plan.mailboxFullDay;
      const isClosed = plan.mailboxClosedDay !== null && day >= plan.mailboxClosedDay;
      return isOn(plan.refusal) ?? (isClosed ? 'never' : isFull ? 'full' : null);
    }
    const contact = contacts.find((each) => each.email === address);
    if (contact) return isOn(contact.mailbox);
    if (letters.some(({ recipient }) => recipient === address))
      return isMailboxClosed(scenario, address) ? 'never' : null;
  }
  return null;
}

/** Lives through a scenario with the services of production. The database is empty but for its tables. */
export async function simulate(scenario: Scenario, { connection, onLine, brokenMax = 5 }: Options): Promise<Result> {
  const { seed, hasBrakes = false, calm = [] } = scenario;
  const isSlow = happens(scenario, 'slow servers');
  const time = createWorldTime(startMs);
  const lots = randomOf(seed, 'moments');
  const brakes = randomOf(seed, 'brakes');
  const broken: string[] = [];
  const complain = (what: string) => {
    const line = `day ${((time.trueMs - startMs) / dayMs).toFixed(3)}: ${what}`;
    turns.note(`BROKEN ${line}`);
    if (!broken.includes(line)) broken.push(line);
  };
  const machine = await openMachine({
    connection,
    seed,
    time,
    onError: (words) => complain(`the log says: ${words}`),
  });
  let killed = 0;
  let diedIn = -1;
  const turns = createTurns({
    random: randomOf(seed, 'turns'),
    onTurn: () => time.pass(passing.below(3), { isUp: true }),
    isBlocked: machine.isBlocked,
    isThreadAtWork: () => {
      // Mails that come back are all that threads read here.
      const { started, done, terminated } = jobCounts(reportJob);
      return started > done + terminated;
    },
    async kill(life) {
      killed += 1;
      diedIn = time.moment;
      await machine.bury(life);
    },
    ...(onLine ? { onLine } : {}),
  });
  const passing = randomOf(seed, 'passing');

  const weather: { everywhere: Weather['everywhere'] } = { everywhere: null };
  const dayNow = () => (time.trueMs - startMs) / dayMs;
  const plans = ownersOf(scenario);
  const post = createPost({
    turns,
    time,
    random: randomOf(seed, 'post'),
    slowness: randomOf(seed, 'slow servers'),
    weather: () => ({ ...weather, isSlow }),
    troubleOf: (address) => troubleOf(scenario, owners, { address, day: dayNow() }),
  });
  const processes = new Map<ProcessName, Process>();
  const processOf = (name: ProcessName): Process => {
    const running = processes.get(name);
    if (running && !running.isDead) return running;
    const started = machine.start(name, { turns, post });
    processes.set(name, started);
    return started;
  };

  const owners: Owner[] = [];
  for (const plan of plans) owners.push(await createOwner(machine, time, plan));
  const acts = createOwnerActs({ time, scenario });
  const lookout = createLookout({
    machine,
    owners,
    time,
    handed: post.handed,
    isStormy: () => weather.everywhere !== null,
    watchesClosely: scenario.mailboxes !== undefined,
    watchesHeld: hasBrakes,
    diedIn: () => diedIn,
    complain,
  });
  const { checkInByLink, stranger } = acts;
  const readers = createReaders({
    owners,
    time,
    scenario,
    random: randomOf(seed, 'readers'),
    quitters: randomOf(seed, 'quitters'),
    doubters: randomOf(seed, 'doubters'),
    texters: randomOf(seed, 'texters'),
    bouncers: randomOf(seed, 'bouncers'),
    repliers: randomOf(seed, 'repliers'),
    mourners: randomOf(seed, 'mourners'),
    sayers: randomOf(seed, 'sayers'),
    requestOf: lookout.requestOf,
    complain,
    checkInByLink,
    stranger,
  });
  const backups = createBackups({ machine, time, owners, memory: readers });
  const userIds = owners.map(({ userId }) => userId);
  const refinement = createRefinement({ machine, userIds, time, complain });
  const agenda = createAgenda<Planned>();

  let braked = 0;
  let workedThroughMs = time.trueMs;
  function isNewDay(): boolean {
    const isNew = happens(scenario, 'deletions') && time.trueMs - workedThroughMs >= dayMs;
    if (isNew) workedThroughMs = time.trueMs;
    return isNew;
  }
  const { noteFreeze, noteResume } = lookout;
  const operator = createOperator({ machine, time, owners, alone, noteFreeze, noteResume });
  const { startPerson, startWorker, startJob } = createWork({ turns, processOf, isNewDay, complain });

  async function moment(people: readonly Deed[], isWorking: boolean): Promise<void> {
    time.nextMoment();
    const isCrash = isWorking && !calm.includes('crashes') && lots.chance(0.04);
    const killing: Killing | null = isCrash ? { atTurn: 1 + lots.below(60), isAfter: lots.chance(0.5) } : null;
    const inCompany = !calm.includes('company') && lots.chance(0.3);
    const first = lots.pick<WorkerName>(['worker A', 'worker B']);
    const tasks: { life: Process; done: Promise<unknown> }[] = isWorking ? [startWorker(first)] : [];
    if (isWorking && inCompany) tasks.push(startWorker(first === 'worker A' ? 'worker B' : 'worker A'));
    if (isWorking && !calm.includes('duplicates') && lots.chance(0.1)) tasks.push(startJob('worker B'));
    const acting = people.map(startPerson);
    await turns.drive([...tasks, ...acting], killing);
    for (const { ended, deed } of acting) if (!ended.isOver) agenda.add(time.trueMs + minuteMs, deed);
    if (killing) for (const what of await writtenApart(machine.reader)) complain(what);
    await look();
    // The operator sees mail that is about to leave, and wants to check it first.
    const isBraking = hasBrakes && lookout.hasQueued() && braked < brakesMax && brakes.chance(brakeChance);
    if (!isBraking) return;
    braked += 1;
    await operator.freeze();
  }

  let reacted = 0;
  let lookedThroughMs = time.trueMs;
  async function look(): Promise<void> {
    const isThorough = time.trueMs - lookedThroughMs >= dayMs;
    if (isThorough) lookedThroughMs = time.trueMs;
    await refinement.look({ isThorough });
    const { hasFrozen } = await lookout.look();
    if (hasFrozen) agenda.add(time.trueMs + lots.between(0.1, 2) * dayMs, { kind: 'resume' });
    for (const mail of post.handed.slice(reacted)) {
      if (mail.answer !== 'accepted' && mail.answer !== 'lost') continue;
      for (const { name, owner, afterMs, run } of readers.reactionsTo(mail)) {
        agenda.add(time.trueMs + afterMs, { kind: 'person', name, owner, run });
      }
    }
    reacted = post.handed.length;
  }

  async function alone(work: (worker: Process) => Promise<unknown>): Promise<void> {
    time.nextMoment();
    const worker = processOf('worker A');
    await turns.drive([{ life: worker, done: work(worker) }]);
    await look();
  }

  async function change(fault: Fault, isBeginning: boolean): Promise<void> {
    turns.note(`* ${fault.kind} ${isBeginning ? 'begins' : 'ends'}`);
    if (fault.kind !== 'lapse' && fault.kind !== 'freeze owner') lookout.noteTrouble();
    if (fault.kind === 'post') weather.everywhere = isBeginning ? fault.how : null;
    if (fault.kind === 'clock') time.jump((isBeginning ? 1 : -1) * Math.round(fault.jumpDays * dayMs));
    if (fault.kind === 'freeze') await (isBeginning ? operator.freeze() : resume());
    if (fault.kind === 'freeze owner')
      await (isBeginning ? operator.freezeOwner(fault.owner) : operator.resumeOwner(fault.owner));
    if (fault.kind === 'lapse' && isBeginning) await operator.lapse(fault.owner);
    if (fault.kind === 'restore') await (isBeginning ? backups.make() : restore());
    if (fault.kind === 'outage' && isBeginning) await outage(fault.days * dayMs, fault.isAsleep);
  }

  /** No process runs: they were killed, or the whole machine sleeps. */
  async function outage(ms: number, isAsleep: boolean): Promise<void> {
    if (!isAsleep) for (const process of processes.values()) process.isDead = true;
    if (!isAsleep) diedIn = time.moment;
    time.pass(Math.round(ms), { isUp: false });
    lookout.noteTrouble();
  }

  async function resume(): Promise<void> {
    if (!(await operator.resume())) agenda.add(time.trueMs + dayMs, { kind: 'resume' });
  }

  /** The database is gone with everything since the backup, and so is every process. */
  async function restore(): Promise<void> {
    for (const process of processes.values()) process.isDead = true;
    diedIn = time.moment;
    if (!(await backups.restore())) return;
    lookout.noteRestore();
    await refinement.forget();
    await alone(({ app }) => applyLedger(app));
    const ids = await machine.ask<{ id: string }>('accounts', 'select id from users');
    for (const owner of owners) if (!ids.some(({ id }) => id === owner.userId)) owner.deleted ??= whenOf(time);
  }

  /** Time in which nothing happens, with a heartbeat each minute. */
  async function wait(ms: number): Promise<void> {
    if (ms <= 0) return;
    if (ms > minuteMs) await processOf('worker A').beatThrough(ms);
    time.pass(ms, { isUp: true });
  }

  async function liveUntil(endMs: number): Promise<void> {
    let lastWorkMs = 0;
    let gapMs = 0;
    while (time.trueMs < endMs && broken.length < brokenMax) {
      const nextMs = Math.min(
        endMs,
        agenda.nextMs(),
        Math.max(lookout.dueMs(), lastWorkMs + gapMs),
        lastWorkMs + longestQuietMs,
      );
      await wait(Math.ceil(nextMs - time.trueMs));
      const people: Deed[] = [];
      for (const planned of agenda.take(time.trueMs)) {
        if (planned.kind === 'person') people.push(planned);
        else if (planned.kind === 'resume') await resume();
        else await change(planned.fault, planned.isBeginning);
      }
      const isDue =
        (lookout.dueMs() <= time.trueMs && time.trueMs >= lastWorkMs + gapMs) ||
        time.trueMs >= lastWorkMs + longestQuietMs;
      const isWorking = isDue || lots.chance(0.3);
      if (isWorking) {
        lastWorkMs = time.trueMs;
        gapMs = lots.pick(roundGapsMinutes) * minuteMs;
      }
      if (isWorking || people.length > 0) await moment(people, isWorking);
    }
  }

  async function liveAll(): Promise<void> {
    const web = processOf('web');
    const begin = async () => {
      for (const owner of owners) await acts.begin(web, owner);
    };
    await turns.drive([{ life: web, done: begin() }]);
    await look();
    for (const owner of owners) {
      for (const act of owner.plan.acts) {
        const run = async (process: Process) => {
          const pressed = whenOf(time);
          owner.pressedIn = pressed.moment;
          const isSignOfLife = await acts.act(process, owner, act);
          if (isSignOfLife) noteActivity(owner, { pressed, answered: whenOf(time) });
        };
        agenda.add(startMs + act.day * dayMs, { kind: 'person', name: `${act.name} ${act.kind}`, owner, run });
      }
    }
    for (const fault of faultsOf(scenario)) {
      agenda.add(startMs + fault.day * dayMs, { kind: 'fault', fault, isBeginning: true });
      agenda.add(startMs + (fault.day + fault.days) * dayMs, { kind: 'fault', fault, isBeginning: false });
    }
    await liveUntil(startMs + scenario.days * dayMs);
    await liveUntil(startMs + (scenario.days + drainDays) * dayMs);
  }

  try {
    await liveAll().catch(async (error: unknown) => {
      if (!(error instanceof Stuck)) throw error;
      complain(error.message);
      for (const process of processes.values()) await machine.bury(process);
    });
    return {
      broken,
      trace: turns.digest(),
      ownerYears: (plans.length * dayNow()) / 365,
      turns: turns.count(),
      moments: time.moment,
      killed,
      releases: lookout.releases(),
      steps: refinement.steps(),
      happened: await whatHappened(machine.reader, post.handed, {
        'slow servers': post.waits(),
        restores: backups.restores(),
      }),
      handed: post.handed,
      keys: machine.keys,
      closedAt: new Date(time.wallMs()).toISOString(),
    };
  } finally {
    await machine.close();
  }
}
