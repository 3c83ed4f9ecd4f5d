import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createWorkBoard, readBoard } from './work-board.ts';

const limitMs = 3_000;
const folder = new URL('./', import.meta.url).href;

/** A process with a watchdog, which then does this. */
function start(then: string): ChildProcess {
  const script = `
    const { startWatchdog } = await import('${folder}watchdog.ts');
    const { beginWork, asTask } = await import('${folder}running-work.ts');
    const { setTimeout: sleep } = await import('node:timers/promises');
    startWatchdog(console, { limitMs: ${limitMs} });
    const block = (ms) => { for (const end = performance.now() + ms; performance.now() < end; ); };
    await sleep(200);
    console.log('begun');
    ${then}
    console.log('alive');
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function ended(child: ChildProcess): Promise<{ signal: string | null; said: string }> {
  if (!child.stdout) throw new Error('The output of the process is not read.');
  const [said, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { signal, said };
}

describe('the watchdog', () => {
  test('ends a process whose event loop stands still, and names the request that was entered last', async () => {
    const child = start(`
      const other = beginWork('GET /api/messages');
      beginWork('POST /api/import-data').run(() => block(60_000));`);
    const { signal, said } = await ended(child);
    expect(signal).toBe('SIGKILL');
    expect(JSON.parse(said.split('\n')[1] ?? '')).toMatchObject({
      level: 60,
      entered: 'POST /api/import-data',
      running: expect.arrayContaining(['GET /api/messages', 'POST /api/import-data']),
      msg: expect.stringContaining('stands still'),
    });
  });

  test('names the task of a worker', async () => {
    const { said } = await ended(start(`await asTask('round sweep', async () => block(60_000));`));
    expect(said).toContain('"entered":"round sweep"');
  });

  test('leaves a process alone that is slow and turns', async () => {
    const child = start(`for (let time = 0; time < 12; time += 1) { block(${limitMs / 6}); await sleep(50); }`);
    expect(await ended(child)).toEqual({ signal: null, said: 'begun\nalive\n' });
  });

  test('leaves a process alone that was stopped for longer, as by a machine that slept', async () => {
    const child = start('await sleep(300);');
    if (child.stdout) await once(child.stdout, 'readable');
    child.kill('SIGSTOP');
    await sleep(2 * limitMs);
    child.kill('SIGCONT');
    expect((await ended(child)).said).toContain('alive');
  });
});

describe('the board of running work', () => {
  test('names as much as it has room for, and has room again after work has ended', () => {
    const board = createWorkBoard();
    const taken = Array.from({ length: 100 }, (_, number) => board.enter(`task ${number}`));
    const shown = taken.filter((slot) => slot !== null).length;
    expect(readBoard(board.buffer).open).toHaveLength(shown);
    for (const slot of taken) board.leave(slot);
    expect(readBoard(board.buffer)).toEqual({ beats: 0, latest: null, open: [] });
    board.enter('é'.repeat(500));
    expect(readBoard(board.buffer).latest).toMatch(/^é{62}$/);
  });
});
