import { serve } from '#server/main.ts';
import { loadSettings } from '#server/settings.ts';
import type { Command } from './command.ts';

export const serveCommand: Command = {
  usage: ['serve'],
  summary: 'Builds what is missing, migrates, serves the site and does its work. npm start runs it.',
  async run() {
    await serve(loadSettings());
  },
};
