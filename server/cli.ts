import { parseArgs } from 'node:util';
import { type Command, CommandError } from './commands/command.ts';
import { SettingsError } from './settings.ts';

/**
 * The operator's command. Each word loads only what it needs, so that `--help` answers at once.
 * Exit codes: 0 done, 1 failed, 2 the words are off.
 */
const commands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  tick: async () => (await import('./commands/tick.ts')).tickCommand,
  clock: async () => (await import('./commands/clock.ts')).clockCommand,
};

/** Known by name: to load their files would cost every command what only some need. */
const operatorErrors: ReadonlySet<string> = new Set([
  'EmbeddedPostgresError',
  'MasterKeyError',
  'WrongMasterKeyError',
  'MigrationError',
]);

process.exitCode = await main(process.argv.slice(2));

async function main(argv: string[]): Promise<number> {
  const { values, positionals } = readWords(argv);
  const [name, ...words] = positionals;
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
    await (await load()).run(words, { json: values.json });
    return 0;
  } catch (error) {
    return explain(error);
  }
}

function readWords(argv: string[]) {
  return parseArgs({
    args: argv,
    allowPositionals: true,
    strict: false,
    options: { help: { type: 'boolean', short: 'h', default: false }, json: { type: 'boolean', default: false } },
  }) as { values: { help: boolean; json: boolean }; positionals: string[] };
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
  console.error(error);
  return 1;
}
