import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { type ImportResult, importFile } from '#server/features/data-export/import.ts';
import { openInstallation } from '#server/installation.ts';
import { isDiskFull } from '#server/platform/files/full-disk.ts';
import { loadSettings } from '#server/settings.ts';
import { AppError } from '#shared/contract/errors.ts';
import { addressIn } from '#shared/rules/addresses/written-address.ts';
import { type Command, CommandError } from './command.ts';

const noRoom =
  'The disk of the files or of the database is full, so nothing was imported. Free some space, then import again.';
const usage = 'import FILE --email ADDRESS [--key-file FILE] [--take-settings] [--as-ready] [--json]';

export const importCommand: Command = {
  usage: [usage],
  wordsMax: 1,
  summary:
    'Imports an export, as JSON or as an archive with its key file, into the vault of an account, as far as its plan has room.',
  flags: ['take-settings', 'as-ready'],
  takes: ['email', 'key-file'],
  async run([file], { json, flags, given }) {
    const email = addressIn(given.get('email') ?? '');
    if (!file || !email) throw new CommandError(`Use ${usage}.`, 2);
    await requireFile(file);
    const keyFile = given.get('key-file');
    if (keyFile !== undefined) await requireFile(keyFile);
    const key = keyFile === undefined ? null : await readFile(keyFile, 'utf8');
    const installation = await openInstallation(loadSettings());
    try {
      const choices = { key, takeSettings: flags.has('take-settings'), asReady: flags.has('as-ready') };
      const result = await importFile(installation, { email, content: createReadStream(file) }, choices);
      console.log(json ? JSON.stringify(result) : wordsOf(result, flags.has('take-settings')));
    } catch (error) {
      if (isDiskFull(error)) throw new CommandError(noRoom);
      throw error instanceof AppError ? new CommandError(error.message) : error;
    } finally {
      await installation.close();
    }
  },
};

const onlyByOwner =
  'only the owner, signed in, can import settings that bring a release sooner, or any settings while a release is open';

/** Titles are the owner's own words, and stay out of a terminal and its log. */
function wordsOf(result: ImportResult, takeSettings: boolean): string {
  const { messages, documents, contacts, alreadyThere, withoutFile, stays, settings } = result;
  const left = settings.inExport === null ? 'there are none in the export' : onlyByOwner;
  const taken = takeSettings
    ? ` Release settings: ${settings.areTaken ? 'taken over' : `left as they are; ${left}`}.`
    : '';
  return `Added: messages ${messages}, documents ${documents}, trusted contacts ${contacts}. There already: ${alreadyThere}. Without their file: ${withoutFile}. No room in the plan: ${stays.length}.${taken}`;
}

async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) throw new CommandError(`There is no file ${path}.`);
}
