import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { openInstallation } from '#server/installation.ts';
import { isDiskFull } from '#server/platform/files/full-disk.ts';
import { loadSettings } from '#server/settings.ts';
import { AppError } from '#shared/contract/errors.ts';
import { type Command, CommandError } from './command.ts';

const noRoom =
  'There is no room left on the disk of the files or of the database, so nothing was taken. Make room, and import it again.';
const usage = 'import FILE --email ADDRESS [--key-file FILE] [--json]';

export const importCommand: Command = {
  usage: [usage],
  wordsMax: 1,
  summary: 'Takes an export, as JSON or as an archive with its key file, into the vault of an account: all or nothing.',
  takes: ['email', 'key-file'],
  async run([file], { json, given }) {
    const email = given.get('email')?.trim().toLowerCase();
    if (!file || !email) throw new CommandError(`Say ${usage}.`, 2);
    await requireFile(file);
    const keyFile = given.get('key-file');
    if (keyFile !== undefined) await requireFile(keyFile);
    const key = keyFile === undefined ? null : await readFile(keyFile, 'utf8');
    const installation = await openInstallation(loadSettings());
    try {
      const result = await installation.services.imports.importFile(email, createReadStream(file), key);
      const { messages, documents, contacts, alreadyThere, withoutFile } = result;
      const words = `Added: messages ${messages}, documents ${documents}, trusted contacts ${contacts}. There already: ${alreadyThere}. Without their file: ${withoutFile}.`;
      console.log(json ? JSON.stringify(result) : words);
    } catch (error) {
      if (isDiskFull(error)) throw new CommandError(noRoom);
      throw error instanceof AppError ? new CommandError(error.message) : error;
    } finally {
      await installation.close();
    }
  },
};

async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) throw new CommandError(`There is no file ${path}.`);
}
