import { serve } from '#server/main.ts';
import { loadSettings } from '#server/settings.ts';
import type { Command } from './command.ts';

export const serveCommand: Command = {
  usage: ['serve'],
  summary:
    'Builds missing files, migrates the database, serves the site and does the work of the worker. npm start runs it.',
  async run() {
    await serve(loadSettings());
  },
};
