/**
 * Lives through made-up years with the release core alone, and holds each to the promises:
 * `npm run simulate -- --core [--years N] [--seed N] [--one] [--trace]`.
 *
 * `--one`: only the life of this seed. `--trace`: with everything that happens in it.
 */
import { decide } from '#server/features/release-core/decide.rules.ts';
import { evolve } from '#server/features/release-core/evolve.rules.ts';
import { mayLettersLeave } from '#server/features/release-core/facts.rules.ts';
import { forecast } from '#server/features/release-core/forecast.rules.ts';
import { brokenPromise } from '#server/features/release-core/promises.rules.ts';
import { visit } from '#server/features/release-core/visit.rules.ts';
import { quietDayOf } from './catch.ts';
import { Fault } from './judge.ts';
import { type Life, lifeOf, told } from './life.ts';
import { shrunk } from './shrink.ts';
import { type Core, type Forgiven, live } from './world.ts';

export const theCore: Core = { decide, visit, evolve, forecast, mayLettersLeave, brokenPromise };

const nothing: Forgiven = new Set();

export type Found = { seed: number; fault: Fault; life: Life };

/** Every third life grows quiet on some day, so that a forecast can come true. */
function quietly(life: Life): { quietFromDay?: number } {
  return life.seed % 3 === 0 ? { quietFromDay: life.quietFromDay ?? quietDayOf(life) } : {};
}

/** Lives one after the other until so many years are over. Each kind of fault is kept once. */
export function livesOf(
  core: Core,
  {
    seed,
    years,
    isFirst = false,
    forgiven = nothing,
  }: { seed: number; years: number; isFirst?: boolean; forgiven?: Forgiven },
): { years: number; lives: number; releases: number; steps: number; found: Found[]; count: Map<string, number> } {
  const found: Found[] = [];
  const count = new Map<string, number>();
  let days = 0;
  let lives = 0;
  let releases = 0;
  let steps = 0;
  while (days < years * 365) {
    const life = lifeOf(seed + lives);
    lives += 1;
    days += life.days;
    try {
      const lived = live(life, core, { forgiven, ...quietly(life) });
      steps += lived.steps;
      if (lived.released) releases += 1;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (!count.has(error.code)) found.push({ seed: seed + lives - 1, fault: error, life });
      count.set(error.code, (count.get(error.code) ?? 0) + 1);
      if (isFirst) break;
    }
  }
  return { years: Math.round(days / 365), lives, releases, steps, found, count };
}

export function runLives({
  seed,
  years,
  isOne = false,
  isTraced = false,
  forgiven = nothing,
}: {
  seed: number;
  years: number;
  isOne?: boolean;
  isTraced?: boolean;
  forgiven?: Forgiven;
}): boolean {
  if (isOne || isTraced) {
    const life = lifeOf(seed);
    console.log(told(life));
    try {
      live(life, theCore, { log: isTraced ? (line) => console.log(line) : undefined, forgiven, ...quietly(life) });
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return shown({ seed, fault: error, life }, forgiven);
    }
  }
  const started = process.cpuUsage();
  const result = livesOf(theCore, { seed, years, forgiven });
  const { user, system } = process.cpuUsage(started);
  const seconds = (user + system) / 1e6;
  console.log(
    `${result.years} owner-years in ${result.lives} lives, ${result.releases} with a release, ${result.steps} steps, ${seconds.toFixed(1)} s of CPU: ${Math.round((result.years / seconds) * 60)} owner-years a minute`,
  );
  for (const found of result.found) {
    console.log(`\n${result.count.get(found.fault.code)} × ${found.fault.code}`);
    shown(found, forgiven);
  }
  return result.found.length === 0;
}

function shown({ seed, fault, life }: Found, forgiven: Forgiven): false {
  const small = shrunk(life, theCore, fault.code, quietly(life).quietFromDay, forgiven);
  const lines: string[] = [];
  let last = fault.message;
  try {
    live(small, theCore, { log: (line) => lines.push(line), forgiven, ...quietly(life) });
  } catch (error) {
    last = String(error);
  }
  console.log(`seed ${seed}: ${fault.message}\n${told(small)}\n${lines.slice(-60).join('\n')}\n=> ${last}`);
  return false;
}
