import type { App } from '#server/app.ts';
import { createTaskRunner, type TaskRunner } from '#server/platform/tasks/task-runner.ts';
import { roundTasks } from '#server/tasks.ts';

/** The runner of production, with the tasks of a round. Nothing is sold in these worlds, so the payments are left out. */
export function roundsFor(app: App, { everyMs }: { everyMs?: number } = {}): TaskRunner {
  const tasks = roundTasks
    .filter(({ name }) => name !== 'payments')
    .map((task) => (everyMs === undefined ? task : { ...task, everyMs }));
  return createTaskRunner({ app, tasks, log: app.log });
}
