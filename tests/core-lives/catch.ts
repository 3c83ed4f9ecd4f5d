import type { Fault } from './judge.ts';
import { type Life, lifeOf } from './life.ts';
import type { Mistake } from './mistakes.ts';
import { faultOf } from './shrink.ts';
import { type Core, type Forgiven, guardForbids } from './world.ts';

export type Caught = { seed: number; fault: Fault; life: Life; years: number };

/** The first life that goes well with the core, and breaks a promise with the mistake. Null where none does in so many years. */
export function caught(
  core: Core,
  mistake: Mistake,
  yearsMax: number,
  { firstSeed = 1, forgiven }: { firstSeed?: number; forgiven?: Forgiven } = {},
): Caught | null {
  const broken = mistake.put(core);
  let days = 0;
  for (let seed = firstSeed; days < yearsMax * 365; seed += 1) {
    const life = lifeOf(seed);
    days += life.days;
    const quietFromDay = seed % 3 === 0 ? quietDayOf(life) : undefined;
    const fault = faultOf(life, broken, quietFromDay, forgiven);
    if (fault && faultOf(life, core, quietFromDay) === null)
      return { seed, fault, life, years: Math.round(days / 365) };
  }
  return null;
}

/** Lets everything pass but what the guard of production forbids. */
export const guardAlone: Forgiven = { has: (code) => code !== guardForbids };
/** The judge without the guard. */
export function unguarded(core: Core): Core {
  return { ...core, brokenPromise: () => null };
}

/** Day of a simulated run after which no person acts. */
export function quietDayOf({ seed, days }: Life): number {
  return (seed * 7919) % days;
}
