import { createHash } from 'node:crypto';
import { setTimeout as sleep, setImmediate as soon } from 'node:timers/promises';
import type { Random } from './random.ts';

/** A process that runs, until it is killed. Whatever it still waits for then never comes. */
export type Life = { name: string; isDead: boolean };

/** Something that a process does outside of its own memory: a statement, a mail. Nothing else can be seen of it. */
type Turn = { life: Life; what: string; line: LineOfTurn | null; run: (through?: Through) => Promise<Deliver> };
/** Way to run it, if not directly. */
type Through = (act: () => Promise<unknown>) => Promise<unknown>;
/** The connection on which a turn is taken. */
type LineOfTurn = {
  backend: number;
  canWait: () => boolean;
  /** No transaction is open on it. */
  isIdle: () => boolean;
  /** Begins or ends a transaction, and never waits. */
  isControl: boolean;
  /** Does it if nothing is in the way; tells null, and has done nothing, where it would have to wait. */
  unlessHeldUp: <Result>(act: () => Promise<Result>) => Promise<{ result: Result } | null>;
};
/** Reports the outcome to the caller of a turn. */
type Deliver = () => void;

export type Killing = { atTurn: number; isAfter: boolean };

export type Turns = {
  /** Asks for a turn; `act` runs when it is given one. */
  take<Result>(life: Life, what: string, act: () => Promise<Result>, line?: LineOfTurn): Promise<Result>;
  /** Gives turns, one after the other in an order drawn by lot, until every task has ended or its process is dead. */
  drive(tasks: readonly { life: Life; done: Promise<unknown> }[], killing?: Killing | null): Promise<void>;
  note(line: string): void;
  /** A digest of everything that was done, in its order. */
  digest(): string;
  count(): number;
};

type Options = {
  random: Random;
  /** After every turn: time passes. */
  onTurn: () => void;
  /** True if this connection waits for a lock that another person holds. */
  isBlocked: (backend: number) => Promise<boolean>;
  kill: (life: Life) => Promise<void>;
  /** True while a thread computes a result that a caller waits for. */
  isThreadAtWork: () => boolean;
  /** Given every line of the trace. */
  onLine?: (line: string) => void;
};

const blockedAfterMs = 4;
/** Deadlock time-out: no one asks for a turn, nothing returns, and each waits for another. */
const stuckAfterMs = 10_000;
const settleRounds = 2;

/** A deadlock of all participants. */
export class Stuck extends Error {
  override readonly name = 'Stuck';
}

/**
 * Decides the order. One statement or mail runs at a time, so the whole run follows from the seed. If a statement
 * waits for a lock, others continue until it is free.
 */
export function createTurns({ random, onTurn, isBlocked, kill, isThreadAtWork, onLine }: Options): Turns {
  let waiting: Turn[] = [];
  /**
   * Turns blocked by a lock, in order of arrival. The first waits in the database. Later ones retry, because the
   * database would wake the waiters of one row in any order.
   */
  const heldUp = new Map<Turn, { deliver: Deliver | null; isWaiting: boolean }>();
  /** Locks were released since the retrying turns last tried. */
  let isFreed = false;
  const trace = createHash('sha256');
  let turns = 0;

  function note(line: string): void {
    trace.update(`${line}\n`);
    onLine?.(line);
  }

  /** Lets everything run that needs no turn. */
  async function settle(): Promise<void> {
    for (let round = 0; round < settleRounds; round += 1) {
      await soon();
      if (!isThreadAtWork()) continue;
      await sleep(1);
      round = -1;
    }
  }

  async function go(turn: Turn): Promise<void> {
    if (turn.line !== null && heldUp.size > 0 && !turn.line.isControl) {
      const deliver = await tryNow(turn, turn.line);
      if (!deliver) heldUp.set(turn, { deliver, isWaiting: false });
      if (!deliver) note(`  ${turn.life.name} waits`);
      isFreed ||= turn.line.isIdle();
      deliver?.();
      return;
    }
    const state: { deliver: Deliver | null; isWaiting: boolean } = { deliver: null, isWaiting: true };
    const run = turn.run().then((deliver) => {
      state.deliver = deliver;
    });
    // Without an open transaction nothing can block, so no query is needed.
    const canWait = turn.line?.canWait() ?? false;
    await (canWait ? Promise.race([run, sleep(blockedAfterMs)]) : run);
    while (!state.deliver) {
      if (turn.line !== null && (await isBlocked(turn.line.backend))) {
        heldUp.set(turn, state);
        note(`  ${turn.life.name} waits`);
        return;
      }
      await Promise.race([run, sleep(1)]);
    }
    isFreed ||= turn.line?.isIdle() ?? false;
    state.deliver?.();
  }

  async function tryNow(turn: Turn, line: LineOfTurn): Promise<Deliver | null> {
    let wasHeldUp = false;
    const deliver = await turn.run(async (act) => {
      const done = await line.unlessHeldUp(act);
      wasHeldUp = done === null;
      return done?.result;
    });
    return wasHeldUp ? null : deliver;
  }

  /**
   * After each turn, holders of a new lock finish before others continue. They are notified after the one that
   * released it, whatever the machine's order.
   */
  async function free(): Promise<void> {
    const wasFreed = isFreed;
    isFreed = false;
    for (const [turn, state] of heldUp) {
      if (wasFreed && !state.isWaiting && turn.line) state.deliver = await tryNow(turn, turn.line);
      while (state.isWaiting && !state.deliver && !(await isBlocked(turn.line?.backend ?? 0))) await sleep(1);
      if (!state.deliver) continue;
      heldUp.delete(turn);
      isFreed ||= turn.line?.isIdle() ?? false;
      state.deliver();
      await settle();
    }
  }

  async function end(life: Life): Promise<void> {
    note(`${life.name} is killed`);
    life.isDead = true;
    waiting = waiting.filter((turn) => turn.life !== life);
    for (const turn of heldUp.keys()) if (turn.life === life) heldUp.delete(turn);
    await kill(life);
    isFreed = true;
    await free();
  }

  function stuck(open: ReadonlySet<{ life: Life }>): Stuck {
    const held = [...heldUp.keys()].map(({ life, what }) => `${life.name} at "${what}"`);
    const names = [...open].map(({ life }) => life.name);
    return new Stuck(`nobody can go on: ${held.join(', ') || names.join(', ')}`);
  }

  return {
    note,
    digest: () => trace.copy().digest('hex'),
    count: () => turns,

    take: <Result>(life: Life, what: string, act: () => Promise<Result>, line?: LineOfTurn) =>
      new Promise<Result>((resolve, reject) => {
        // A dead process asks for nothing and hears of nothing.
        if (life.isDead) return;
        const run = async (through: Through = (act) => act()): Promise<Deliver> => {
          try {
            const result = (await through(act)) as Result;
            return () => !life.isDead && resolve(result);
          } catch (error) {
            return () => !life.isDead && reject(error);
          }
        };
        waiting.push({ life, what, line: line ?? null, run });
      }),

    async drive(tasks, killing = null) {
      const open = new Set(tasks);
      for (const task of tasks) void task.done.finally(() => open.delete(task)).catch(() => undefined);
      let given = 0;
      let quietSince: number | null = null;
      for (;;) {
        await settle();
        for (const task of open) if (task.life.isDead) open.delete(task);
        if (open.size === 0) return;
        if (heldUp.size > 0) await free();
        // No random number is drawn without a waiting turn, because the number of checks depends on the machine.
        const turn = waiting.length === 0 ? undefined : waiting.splice(random.below(waiting.length), 1)[0];
        if (!turn) {
          quietSince ??= performance.now();
          if (performance.now() - quietSince > stuckAfterMs) throw stuck(open);
          isFreed = true;
          await sleep(1);
          continue;
        }
        quietSince = null;
        given += 1;
        const isLast = killing?.atTurn === given;
        if (isLast && !killing.isAfter) {
          await end(turn.life);
          continue;
        }
        turns += 1;
        note(`${turn.life.name} ${turn.what}`);
        await go(turn);
        if (isLast) await settle();
        onTurn();
        if (isLast) await end(turn.life);
      }
    },
  };
}
