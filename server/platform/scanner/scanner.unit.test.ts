import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openScanner, type Scanner } from './scanner.ts';

const eicar = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*';

type Said = { content: Buffer; socket: Socket };

/** A server with clamd's INSTREAM protocol: reads the pieces, then sends the given answer. */
async function startClamd(answer: (said: Said) => string | null, { bytesMax = Number.POSITIVE_INFINITY } = {}) {
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    listen(socket).catch(() => socket.destroy());
  });

  async function listen(socket: Socket): Promise<void> {
    let seen = Buffer.alloc(0);
    const pieces: Buffer[] = [];
    let isBegun = false;
    for await (const part of socket as AsyncIterable<Buffer>) {
      seen = Buffer.concat([seen, part]);
      if (!isBegun) {
        const command = 'zINSTREAM\0';
        if (seen.length < command.length) continue;
        expect(seen.subarray(0, command.length).toString()).toBe(command);
        seen = seen.subarray(command.length);
        isBegun = true;
      }
      while (seen.length >= 4 && seen.length >= 4 + seen.readUInt32BE(0)) {
        const length = seen.readUInt32BE(0);
        pieces.push(seen.subarray(4, 4 + length));
        seen = seen.subarray(4 + length);
        const content = Buffer.concat(pieces);
        if (content.length > bytesMax) {
          socket.end('INSTREAM size limit exceeded. ERROR\0');
          socket.destroySoon();
          return;
        }
        if (length > 0) continue;
        received.push(content);
        const words = answer({ content, socket });
        if (words === null) socket.destroy();
        else socket.end(words);
        return;
      }
    }
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { scanner: await openScanner({ clamav: { host: '127.0.0.1', port } }), received };
}

const honest = ({ content }: Said) => (content.includes(eicar) ? 'stream: Eicar-Test FOUND\0' : 'stream: OK\0');

async function scan(scanner: Scanner, content: Buffer): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < content.length; at += 70_000) pieces.push(content.subarray(at, at + 70_000));
  const stream = scanner.scan();
  const [passed] = await Promise.all([buffer(stream), pipeline(Readable.from(pieces, { objectMode: false }), stream)]);
  return passed;
}

describe('the scanner', () => {
  it('lets everything pass where none is configured', async () => {
    const scanner = await openScanner({});
    expect(scanner.kind).toBe('none');
    expect((await scan(scanner, Buffer.from(eicar))).toString()).toBe(eicar);
  });

  it.each([0, 1, 5_000_000])(
    'passes a clean file of %i bytes as it is, and shows clamd the same',
    async (sizeBytes) => {
      const { scanner, received } = await startClamd(honest);
      const content = randomBytes(sizeBytes);
      expect((await scan(scanner, content)).equals(content)).toBe(true);
      expect(received[0]?.equals(content)).toBe(true);
    },
  );

  it('refuses a file in which something is found, wherever it is', async () => {
    const { scanner } = await startClamd(honest);
    const hidden = Buffer.concat([randomBytes(200_000), Buffer.from(eicar), randomBytes(200_000)]);
    for (const content of [Buffer.from(eicar), hidden]) {
      await expect(scan(scanner, content)).rejects.toMatchObject({ type: 'VALIDATION', status: 400 });
    }
  });

  it('refuses a file that is too large for clamd, which hangs up in the middle of it', async () => {
    const { scanner } = await startClamd(honest, { bytesMax: 100_000 });
    await expect(scan(scanner, randomBytes(3_000_000))).rejects.toMatchObject({ type: 'PAYLOAD_TOO_LARGE' });
  });

  it.each([
    ['hangs up', null],
    ['says nothing', ''],
    ['is confused', 'UNKNOWN COMMAND\0'],
    ['says something like yes', 'stream: OKAY\0'],
    ['fails', 'stream: Some error ERROR\0'],
  ])('takes nothing where clamd %s', async (_what, words) => {
    const { scanner } = await startClamd(() => words);
    await expect(scan(scanner, randomBytes(10_000))).rejects.toMatchObject({ type: 'UNAVAILABLE' });
  });

  it('takes nothing where there is no clamd', async () => {
    const scanner = await openScanner({ clamav: { host: '127.0.0.1', port: 9 } });
    expect(scanner.kind).toBe('clamav');
    for (const content of [Buffer.from('x'), randomBytes(3_000_000)]) {
      await expect(scan(scanner, content)).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    }
  });

  it('believes no yes that comes before the end', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('stream: OK\0'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const scanner = await openScanner({ clamav: { host: '127.0.0.1', port } });
    const slow = Readable.from(
      (async function* () {
        for (let piece = 0; piece < 20; piece += 1) {
          yield randomBytes(10_000);
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      })(),
      { objectMode: false },
    );
    const stream = scanner.scan();
    stream.resume();
    await expect(pipeline(slow, stream)).rejects.toMatchObject({ type: 'UNAVAILABLE' });
  });
});
