import { patienceMs } from '#server/features/notifications/notifications.retry.rules.ts';
import { allMails } from '#server/mails.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import type { Command } from './command.ts';
import { tableOf } from './table.ts';

const headings = ['mail', 'to', 'by', 'patience', 'while frozen', 'ends with'];

export const mailsCommand: Command = {
  usage: ['mails [--json]'],
  summary: 'Lists every email and text: to whom, by what, patience, conduct in a freeze, and events that cancel it.',
  async run(_words, { json }) {
    if (json) for (const mail of allMails) console.log(JSON.stringify(mail));
    else for (const line of tableOf(headings, allMails.map(wordsOf))) console.log(line);
  },
};

function wordsOf({ kind, to, by, patience, whileFrozen, endsWith }: (typeof allMails)[number]): string[] {
  const tried = `${patience}, ${patienceMs[patience] / dayMs} d`;
  return [kind, to, by, tried, whileFrozen, endsWith.join(', ') || '–'];
}
