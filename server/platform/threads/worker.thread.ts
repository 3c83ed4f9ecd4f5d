import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { AppError } from '#shared/contract/errors.ts';
import type { Ask, FromThread, ToThread } from './thread-job.ts';

/** The side of the pool that runs in a thread: one job at a time, each from its own module. */
type Run = (input: unknown, ask: Ask<unknown, unknown>) => Promise<unknown>;
type Asked = { resolve: (answer: unknown) => void; reject: (error: Error) => void };

/** Nice value of this thread (setpriority(2)), so that the event loop runs first if processors are short. */
const niceness = 10;
// Linux sets it for the calling thread. Other systems would set it for the whole process.
if (process.platform === 'linux') setPriority(niceness);

const asked = new Map<number, Asked>();
let lastId = 0;

function post(message: FromThread): void {
  parentPort?.postMessage(message);
}

function ask(question: unknown): Promise<unknown> {
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    asked.set(id, { resolve, reject });
    post({ is: 'question', id, question });
  });
}

async function work(module: string, input: unknown): Promise<void> {
  try {
    const { run } = (await import(module)) as { run: Run };
    post({ is: 'begun' });
    post({ is: 'done', output: await run(input, ask) });
  } catch (error) {
    if (error instanceof AppError) {
      const { type, message, details } = error;
      post({ is: 'refused', type, message, details });
    } else if (error instanceof Error) post({ is: 'failed', message: error.message, stack: error.stack });
    else post({ is: 'failed', message: String(error), stack: undefined });
  }
}

parentPort?.on('message', (message: ToThread) => {
  if (message.is === 'job') {
    void work(message.module, message.input);
    return;
  }
  const waiting = asked.get(message.id);
  asked.delete(message.id);
  if (message.is === 'answer') waiting?.resolve(message.answer);
  else waiting?.reject(new Error('The main thread could not answer.'));
});
