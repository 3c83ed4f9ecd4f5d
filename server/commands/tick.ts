import { openInstallation } from '#server/installation.ts';
import { loadSettings } from '#server/settings.ts';
import { roundsOf } from '#server/worker.ts';
import type { Command } from './command.ts';

export const tickCommand: Command = {
  usage: ['tick [--json]'],
  summary: 'Runs one round of due work, as the worker would, and reports how much it was.',
  async run(_words, { json }) {
    const installation = await openInstallation(loadSettings());
    try {
      const counts = await roundsOf(installation).tick();
      const sum = (...names: string[]) => names.reduce((total, name) => total + (counts.get(name) ?? 0), 0);
      const done = { steps: sum('sweep', 'proposed addresses', 'payments'), sent: sum('outbox', 'letters') };
      const words = `${done.steps} owners moved on, ${done.sent} messages tried.`;
      console.log(json ? JSON.stringify(done) : words);
    } finally {
      await installation.close();
    }
  },
};
