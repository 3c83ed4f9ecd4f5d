import { openInstallation } from '#server/installation.ts';
import { loadSettings } from '#server/settings.ts';
import { clockwork } from '#server/worker.ts';
import type { Command } from './command.ts';

export const tickCommand: Command = {
  usage: ['tick [--json]'],
  summary: 'Does one round of what is due, as the worker would, and says how much it was.',
  async run(_words, { json }) {
    const installation = await openInstallation(loadSettings());
    try {
      const done = await clockwork(installation).tick();
      const words = `${done.steps} owners moved on, ${done.sent} messages tried.`;
      console.log(json ? JSON.stringify(done) : words);
    } finally {
      await installation.close();
    }
  },
};
