import { connect, type Socket } from 'node:net';
import { Transform, type TransformCallback } from 'node:stream';
import { infected, type Scanner, tooLargeToScan, unscanned } from './scanner.ts';

/** Without a word from the other side for this long, the scan has failed. Large archives take a while. */
const silenceTimeoutMs = 60_000;
const replyBytesMax = 4_096;

/** Files go to clamd by its command INSTREAM while they are stored (clamd(8)); its database stays its operator's. */
export function createClamavScanner({ host, port }: { host: string; port: number }): Scanner {
  return { kind: 'clamav', scan: () => new ScanStream(connect({ host, port })) };
}

class ScanStream extends Transform {
  readonly #socket: Socket;
  /** clamd's answer, once it has closed the connection, which may happen in the middle of a file. */
  readonly #reply: Promise<string>;
  #isOver = false;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    this.#reply = new Promise((resolve) => {
      let reply = '';
      socket.setEncoding('latin1').setTimeout(silenceTimeoutMs, () => socket.destroy());
      socket.on('data', (text: string) => {
        reply = (reply + text).slice(0, replyBytesMax);
      });
      // The cause of a broken connection does not matter: without a complete answer the file counts as not scanned.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#isOver = true;
        resolve(reply);
      });
    });
    socket.write('zINSTREAM\0');
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const pass = () => (this.#isOver ? stop() : done(null, chunk));
    // Whatever clamd says before it was given all of it, clean is not among the answers.
    const stop = () => void this.#reply.then((reply) => done(verdictOf(reply) ?? unscanned()));
    if (this.#isOver) {
      stop();
      return;
    }
    const length = Buffer.alloc(4);
    length.writeUInt32BE(chunk.length);
    this.#socket.write(length);
    if (this.#socket.write(chunk)) pass();
    else this.#onceWritable(pass);
  }

  override _flush(done: TransformCallback): void {
    if (!this.#isOver) this.#socket.write(Buffer.alloc(4));
    this.#reply.then((reply) => done(verdictOf(reply)));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #onceWritable(go: () => void): void {
    const next = () => {
      this.#socket.off('drain', next).off('close', next);
      go();
    };
    this.#socket.on('drain', next).on('close', next);
  }
}

/** Only the one answer that says so means clean. */
function verdictOf(reply: string): Error | null {
  const words = (reply.split('\0')[0] ?? '').trim();
  if (words === 'stream: OK') return null;
  if (/ FOUND$/.test(words)) return infected();
  return /size limit exceeded/i.test(words) ? tooLargeToScan() : unscanned();
}
