import { parseArgs } from 'node:util';
import { type Command, CommandError } from './commands/command.ts';
import { isDiskFull } from './platform/files/full-disk.ts';
import { SettingsError } from './settings.ts';

/**
 * The operator's command. Each word loads only what it needs, so that `--help` answers at once.
 * Exit codes: 0 done, 1 failed, 2 the words are off.
 */
const commands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  tick: async () => (await import('./commands/tick.ts')).tickCommand,
  release: async () => (await import('./commands/release.ts')).releaseCommand,
  vouchers: async () => (await import('./commands/vouchers.ts')).vouchersCommand,
  clock: async () => (await import('./commands/clock.ts')).clockCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  backup: async () => (await import('./commands/backup.ts')).backupCommand,
  restore: async () => (await import('./commands/restore.ts')).restoreCommand,
  import: async () => (await import('./commands/import.ts')).importCommand,
  users: async () => (await import('./commands/users.ts')).usersCommand,
  'rotate-keys': async () => (await import('./commands/rotate-keys.ts')).rotateKeysCommand,
  integrity: async () => (await import('./commands/integrity.ts')).integrityCommand,
  audit: async () => (await import('./commands/audit.ts')).auditCommand,
};

/** Known by name: to load their files would cost every command what only some need. */
const operatorErrors: ReadonlySet<string> = new Set([
  'EmbeddedPostgresError',
  'MasterKeyError',
  'WrongMasterKeyError',
  'MigrationError',
  'BackupError',
]);

process.exitCode = await main(process.argv.slice(2));

async function main(argv: string[]): Promise<number> {
  const { values, positionals } = readWords(argv);
  const [name] = positionals;
  if (name === undefined || values.help) {
    await printHelp(name);
    return name === undefined && !values.help ? 2 : 0;
  }
  const load = commands[name];
  if (!load) {
    console.error(`There is no command “${name}”. everkept --help lists them.`);
    return 2;
  }
  try {
    const command = await load();
    const { takes = [] } = command;
    const [words, values] = readFor(argv, takes);
    const given = new Map(takes.flatMap((flag) => (typeof values[flag] === 'string' ? [[flag, values[flag]]] : [])));
    await command.run(words, { json: values.json, flags: flagsOf(command, values), given });
    return 0;
  } catch (error) {
    return explain(error);
  }
}

/** The words again, now that it is known which flags take one. */
function readFor(argv: string[], takes: readonly string[]): [words: string[], values: Given] {
  const { values, positionals } = readWords(argv, takes);
  return [positionals.slice(1), values];
}

function readWords(argv: string[], takes: readonly string[] = []) {
  return parseArgs({
    args: argv,
    allowPositionals: true,
    strict: false,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      json: { type: 'boolean', default: false },
      ...Object.fromEntries(takes.map((flag) => [flag, { type: 'string' as const }])),
    },
  }) as { values: Given; positionals: string[] };
}

type Given = { help: boolean; json: boolean } & Record<string, unknown>;

/** A flag that was mistyped must not pass for one that was not given. */
function flagsOf(
  { flags: known = [], takes = [] }: Command,
  { help: _, json: __, ...others }: Given,
): ReadonlySet<string> {
  const given = Object.keys(others).filter((flag) => !(takes.includes(flag) && typeof others[flag] === 'string'));
  const unknown = given.find((flag) => !known.includes(flag) || others[flag] !== true);
  if (unknown !== undefined && takes.includes(unknown)) throw new CommandError(`Give a value after --${unknown}.`, 2);
  if (unknown !== undefined) throw new CommandError(`There is no --${unknown} here. --help shows what there is.`, 2);
  return new Set(given);
}

async function printHelp(name: string | undefined): Promise<void> {
  const shown = name && commands[name] ? [name] : Object.keys(commands);
  console.log('everkept <command> [--json]\n');
  for (const word of shown) {
    const load = commands[word];
    if (!load) continue;
    const { usage, summary } = await load();
    for (const line of usage) console.log(`  everkept ${line}`);
    console.log(`      ${summary}\n`);
  }
}

/** Says what went wrong in words an operator can act on; a stack only where the fault is ours. */
function explain(error: unknown): number {
  if (error instanceof SettingsError) {
    console.error('Everkept did not start, because of its settings:');
    for (const problem of error.problems) console.error(`  - ${problem}`);
    return 1;
  }
  if (error instanceof CommandError) {
    console.error(error.message);
    return error.exitCode;
  }
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    console.error('Another program listens at this address already. Stop it, or set PORT to another number.');
    return 1;
  }
  if (error instanceof Error && operatorErrors.has(error.name)) {
    console.error(error.message);
    return 1;
  }
  if (isDiskFull(error)) {
    console.error(
      'A disk is full, ours or the one of the database. Make room, and run this again: doctor says how much is free.',
    );
    return 1;
  }
  console.error(error);
  return 1;
}
