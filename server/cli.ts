import { fileURLToPath } from 'node:url';
import { isKeeper, keepRunning } from './keep-running.ts';

const words = process.argv.slice(2);
const start = fileURLToPath(new URL('./start.mjs', import.meta.url));

if (isKeeper(words)) process.exit(await keepRunning(start, words));
const { runCommandLine } = await import('./commands/command-line.ts');
process.exitCode = await runCommandLine(words);
