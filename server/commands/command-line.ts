import { parseArgs } from 'node:util';
import { isDiskFull } from '#server/platform/files/full-disk.ts';
import { SettingsError } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';

/**
 * The operator's command. Each word loads only what it needs, so that `--help` answers at once.
 * Exit codes: 0 done, 1 failed, 2 the words are off.
 */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  tick: async () => (await import('./tick.ts')).tickCommand,
  tasks: async () => (await import('./tasks.ts')).tasksCommand,
  mails: async () => (await import('./mails.ts')).mailsCommand,
  release: async () => (await import('./release.ts')).releaseCommand,
  vouchers: async () => (await import('./vouchers.ts')).vouchersCommand,
  clock: async () => (await import('./clock.ts')).clockCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  'bench-data': async () => (await import('./bench-data.ts')).benchDataCommand,
  doctor: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  import: async () => (await import('./import.ts')).importCommand,
  users: async () => (await import('./users.ts')).usersCommand,
  'rotate-keys': async () => (await import('./rotate-keys.ts')).rotateKeysCommand,
  key: async () => (await import('./key.ts')).keyCommand,
  handover: async () => (await import('./handover/handover.ts')).handoverCommand,
  integrity: async () => (await import('./integrity.ts')).integrityCommand,
  bounce: async () => (await import('./bounce.ts')).bounceCommand,
  webhook: async () => (await import('./webhook.ts')).webhookCommand,
  audit: async () => (await import('./audit.ts')).auditCommand,
};

/** Known by name: to load their files would cost every command what only some need. */
const operatorErrors: ReadonlySet<string> = new Set([
  'EmbeddedPostgresError',
  'DatabaseUnreachableError',
  'MasterKeyError',
  'WrongMasterKeyError',
  'MigrationError',
  'BackupError',
  'MailServiceError',
  'BuildError',
]);

/** Runs the command of a command line, prints its result, and returns the exit code. */
export async function runCommandLine(argv: string[]): Promise<number> {
  const { values, positionals } = readWords(argv);
  const [name] = positionals;
  const load = name === undefined ? undefined : commandOf(name);
  if (name !== undefined && !load) {
    console.error(`There is no command “${name}”. everkept --help lists them.`);
    return 2;
  }
  if (!load || values.help) {
    await printHelp(load ? [load] : Object.values(commands));
    return load || values.help ? 0 : 2;
  }
  try {
    const command = await load();
    const { takes = [] } = command;
    const [words, values] = readFor(argv, takes);
    const flags = flagsOf(command, values);
    refuseMoreWords(command, words);
    const given = new Map(takes.flatMap((flag) => (typeof values[flag] === 'string' ? [[flag, values[flag]]] : [])));
    await command.run(words, { json: values.json, flags, given });
    return 0;
  } catch (error) {
    return explain(error);
  }
}

/** Only a word of ours: every object knows some by nature, such as `constructor`. */
function commandOf(name: string) {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

/** Without this check, `restore backups/*` would use the first file only, and a path with a space would be cut. */
function refuseMoreWords({ usage, wordsMax = 0 }: Command, words: readonly string[]): void {
  const surplus = words[wordsMax];
  if (surplus === undefined) return;
  throw new CommandError(`There is one argument too many: “${surplus}”. Use ${usage.join(', or ')}.`, 2);
}

/** The words again, now that it is known which flags take one. */
function readFor(argv: string[], takes: readonly string[]): [words: string[], values: Given] {
  const { values, positionals } = readWords(argv, takes);
  return [positionals.slice(1), values];
}

/** A duration below zero, as `clock jump -95d` takes it: a word that comes last, and no flag. */
const durationBelowZero = /^-\d+[dhm]$/;

function readWords(argv: string[], takes: readonly string[] = []) {
  const last = argv.filter((word) => durationBelowZero.test(word));
  const { values, positionals } = parseArgs({
    args: argv.filter((word) => !last.includes(word)),
    allowPositionals: true,
    strict: false,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      json: { type: 'boolean', default: false },
      ...Object.fromEntries(takes.map((flag) => [flag, { type: 'string' as const }])),
    },
  }) as { values: Given; positionals: string[] };
  return { values, positionals: [...positionals, ...last] };
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
  if (unknown !== undefined)
    throw new CommandError(`There is no option --${unknown} here. --help lists the options.`, 2);
  return new Set(given);
}

async function printHelp(shown: readonly (() => Promise<Command>)[]): Promise<void> {
  console.log('everkept <command> [--json]\n');
  for (const load of shown) {
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
      'A disk is full, either ours or that of the database. Free some space, then run this again. doctor shows how much is free.',
    );
    return 1;
  }
  console.error(error);
  return 1;
}
