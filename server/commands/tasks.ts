import { openGround } from '#server/ground.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { isLeased, nextRunAt, readRuns } from '#server/platform/tasks/task-runs.ts';
import { loadSettings } from '#server/settings.ts';
import { tasksOf } from '#server/tasks.ts';
import type { Command } from './command.ts';
import { tableOf } from './table.ts';

type Shown = {
  name: string;
  everySeconds: number;
  oncePer: 'process' | 'installation';
  lastRunAt: Date | null;
  nextRunAt: Date | null;
  isRunning: boolean;
  lastFailedAt: Date | null;
  lastError: string | null;
};

export const tasksCommand: Command = {
  usage: ['tasks [--json]'],
  summary: 'Lists what the service does without a request: interval, last run, next run and last error of each task.',
  async run(_words, { json }) {
    const settings = loadSettings();
    const { db, close } = await openGround(settings);
    try {
      const now = await createDatabaseClock(db, settings).now();
      const runs = await readRuns(db);
      const shown = tasksOf({ ...settings, role: 'all' }).map((task): Shown => {
        const run = runs.get(task.name);
        const next = nextRunAt(run, task.everyMs);
        return {
          ...{ name: task.name, everySeconds: task.everyMs / 1_000, oncePer: task.oncePer },
          lastRunAt: run?.begunAt ?? null,
          // A time that has passed means: as soon as a process is free.
          nextRunAt: next && next < now ? now : next,
          isRunning: isLeased(run, now),
          lastFailedAt: run?.failedAt ?? null,
          lastError: run?.failure ?? null,
        };
      });
      if (json) for (const one of shown) console.log(JSON.stringify(one));
      else for (const line of tableOf(headings, shown.map(wordsOf))) console.log(line);
    } finally {
      await close();
    }
  },
};

const headings = ['task', 'every', 'last run', 'next run', 'last error'];

function wordsOf({ name, everySeconds, lastRunAt, nextRunAt, isRunning, lastFailedAt, lastError }: Shown): string[] {
  const last = lastRunAt ? timeOf(lastRunAt) : 'never';
  const next = nextRunAt ? timeOf(nextRunAt) : 'now';
  const error = lastFailedAt ? `${lastError} at ${timeOf(lastFailedAt)}` : '–';
  return [name, intervalOf(everySeconds), last, isRunning ? 'running' : next, error];
}

function intervalOf(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

const timeOf = (at: Date) => `${at.toISOString().slice(0, 19)}Z`;
