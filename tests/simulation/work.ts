import { eraseDueAccounts } from '#server/features/deletion/erasure.ts';
import { sendDueLetters } from '#server/features/delivery/delivery.ts';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import { sendWaitedProposals } from '#server/features/redelivery/waiting-proposals.ts';
import { sweepReleases } from '#server/features/release/release-sweep.ts';
import { recordHeartbeat } from '#server/features/release-health/health.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { Owner } from '#tests/simulation/people/owners.ts';
import type { Process, ProcessName } from './machine.ts';
import type { Turns } from './turns.ts';

/** Next action of a person. */
export type Deed = { kind: 'person'; name: string; owner: Owner; run: (web: Process) => Promise<unknown> };
export type WorkerName = Exclude<ProcessName, 'web'>;

/**
 * Shortest gap between two rounds of the worker, unless people act: years of minutes would take years. Work that
 * falls due in between is done together, as after a slow worker.
 */
export const roundGapsMinutes = [20, 60, 180, 300] as const;

/** A round ends here even if more is due, as in production. */
const passesMax = 50;

type Options = {
  turns: Turns;
  processOf: (name: ProcessName) => Process;
  /** True if the daily tasks are due now. */
  isNewDay: () => boolean;
  complain: (what: string) => void;
};

/** Starts what people and processes do; nothing of it happens before it is given a turn. */
export function createWork({ turns, processOf, isNewDay, complain }: Options) {
  return {
    /** Runs a person's action. A refusal is an answer too, and a person who is cut off tries again. */
    startPerson(deed: Deed) {
      const web = processOf('web');
      turns.note(`* ${deed.name}`);
      const ended = { isOver: false };
      const done = deed
        .run(web)
        .catch((error: unknown) => {
          if (!(error instanceof AppError)) complain(`${deed.name} met ${String(error)}`);
        })
        .finally(() => {
          ended.isOver = true;
        });
      return { life: web, done, ended, deed };
    },

    /** A round of the worker, with a heartbeat first. */
    startWorker(name: WorkerName) {
      const worker = processOf(name);
      const { app, clock } = worker;
      const round = async () => {
        await recordHeartbeat(worker.app);
        for (let pass = 0; pass < passesMax; pass += 1) {
          const steps = (await sweepReleases(app)) + (await sendWaitedProposals(app));
          const sent = (await dispatchDue(app)) + (await sendDueLetters(app, await clock.now()));
          if (steps + sent === 0) break;
        }
        if (isNewDay()) await eraseDueAccounts(app);
      };
      const done = round().catch((error: unknown) => complain(`${name} met ${String(error)}`));
      return { life: worker, done };
    },

    /** A wake-up that comes late or a second time. */
    startJob(name: WorkerName) {
      const worker = processOf(name);
      const done = dispatchDue(worker.app).catch((error: unknown) => complain(`a job met ${String(error)}`));
      return { life: worker, done };
    },
  };
}
