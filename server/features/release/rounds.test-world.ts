import type { App } from '#server/app.ts';
import { createTaskRunner, type TaskRunner } from '#server/platform/tasks/task-runner.ts';
import { type RoundApp, roundTasks } from '#server/tasks.ts';

/** The runner of production, with the tasks of a round. Nothing is sold in these worlds, so the payments are left out. */
export function roundsFor(
  { app, ...services }: RoundApp['services'] & { app: App },
  { everyMs }: { everyMs?: number } = {},
): TaskRunner {
  const tasks = roundTasks
    .filter(({ name }) => name !== 'payments')
    .map((task) => (everyMs === undefined ? task : { ...task, everyMs }));
  return createTaskRunner({ app: { ...app, services }, tasks, log: app.log });
}
