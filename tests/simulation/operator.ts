import { eq } from 'drizzle-orm';
import { freezeOwner, resumeOwner, resumeReleases } from '#server/features/release/release-freeze.ts';
import { freezeReleases } from '#server/features/release-health/health.ts';
import { users } from '#server/schema/accounts.tables.ts';
import type { Machine, Process } from './machine.ts';
import { type OwnerNotes, whenOf } from './people/notes.ts';
import type { WorldTime } from './time.ts';

type Options = {
  machine: Machine;
  time: WorldTime;
  owners: readonly OwnerNotes[];
  /** Runs work without other processes, then checks the outcome. */
  alone: (work: (worker: Process) => Promise<unknown>) => Promise<void>;
  noteFreeze: () => void;
  noteResume: () => void;
};

/** Actions of the operator, who relies on the answers. */
export function createOperator({ machine, time, owners, alone, noteFreeze, noteResume }: Options) {
  const ownerOf = (name: string) => owners.find(({ plan }) => plan.name === name);

  return {
    async freeze(): Promise<void> {
      await alone(({ app }) => freezeReleases(app, 'The operator wants to look.'));
      noteFreeze();
    },

    /** @returns false where it is too early after a restore. */
    async resume(): Promise<boolean> {
      let isDone = true;
      await alone(async ({ app }) => {
        isDone = (await resumeReleases(app)) !== 'hindered';
      });
      if (isDone) noteResume();
      return isDone;
    },

    async freezeOwner(name: string): Promise<void> {
      const owner = ownerOf(name);
      if (!owner) return;
      await alone(async ({ app }) => {
        if ((await freezeOwner(app, owner.email)) === 'done') owner.frozen = whenOf(time);
      });
    },

    async resumeOwner(name: string): Promise<void> {
      const owner = ownerOf(name);
      if (!owner) return;
      await alone(async ({ app }) => {
        owner.frozen = null;
        await resumeOwner(app, owner.email);
      });
      owner.troubled = whenOf(time);
    },

    /** The plan lapses. No release may depend on it. */
    async lapse(name: string): Promise<void> {
      const owner = ownerOf(name);
      if (!owner) return;
      await machine.control.update(users).set({ plan: 'free' }).where(eq(users.id, owner.userId));
    },
  };
}

export type Operator = ReturnType<typeof createOperator>;
