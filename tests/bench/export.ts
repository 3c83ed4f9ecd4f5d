import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { App } from '#server/app.ts';
import { findOwnerByEmail } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { importFile } from '#server/features/data-export/import.ts';
import { listKnownMessages } from '#server/features/messages/messages.import.ts';
import { openInstallation } from '#server/installation.ts';
import { readSettings } from '#server/settings.ts';
import { type Figure, median, ratio } from './figure.ts';
import { mebibyte, memoryOf, processorSecondsOf, sampleMemory } from './memory.ts';
import { createOwners } from './owners.ts';
import { type Site, startSite } from './site.ts';

const messages = 1_000;
const rounds = 3;
const goals = { memoryMiB: 100, ratio: 0.3 };
/** Bytes per read of the client, and the start and end of a chunked answer (RFC 9112 §7.1). */
const receivedBytes = 262_144;
const answered = 'HTTP/1.1 200';
const ended = '\r\n0\r\n\r\n';
const email = 'owner-0@everkept.example';

/**
 * An encrypted export of 1,000 messages with files, from a running site to the disk. It is compared with reading,
 * decrypting and writing the same files. `totalBytes` is the size of all files.
 */
export async function exportFigures({ totalBytes }: { totalBytes: number }): Promise<Figure[]> {
  const site = await startSite();
  const folder = await mkdtemp(join(tmpdir(), 'everkept-bench-export-'));
  const installation = await openInstallation(
    readSettings({ DATA_DIR: site.dataDir, LOG_LEVEL: 'warn', PORT: new URL(site.url).port }),
  );
  try {
    const { db } = installation;
    const [cookie = ''] = await createOwners(db, { dataDir: site.dataDir, count: 1 });
    const content = Readable.from(exportText(Math.ceil(totalBytes / messages)), { objectMode: false });
    await importFile(installation, { email, content }, { key: null });

    const save = () => saveExport(site, { cookie, path: join(folder, 'export.zip') });
    await save();
    const beforeBytes = await memoryOf(site.pid);
    const sampled = sampleMemory(site.pid);
    const rates = { ours: [] as number[], bare: [] as number[] };
    let processorSeconds = 0;
    // A B A B …: a machine that slows down slows both.
    for (let round = 0; round < rounds; round += 1) {
      rates.bare.push(await rateOf(totalBytes, () => copyFiles(installation, folder)));
      const before = await processorSecondsOf(site.pid);
      rates.ours.push(await rateOf(totalBytes, save));
      processorSeconds += (await processorSecondsOf(site.pid)) - before;
    }
    const grownMiB = ((await sampled.end()) - beforeBytes) / mebibyte;
    const [ours, bare] = [median(rates.ours), median(rates.bare)];
    const size = `${(totalBytes / 1e6).toFixed(0)} MB`;
    return [
      ratio(`export of ${messages} messages and ${size} : decrypting and writing the same`, ours, bare, goals.ratio),
      { what: '  export, decrypting and writing', figure: `${ours.toFixed(0)}, ${bare.toFixed(0)} MB/s` },
      {
        what: '  processor time of the server',
        figure: `${((processorSeconds / rounds / totalBytes) * 1e8).toFixed(2)} s for 100 MB`,
      },
      {
        what: '  most memory that exports added to the server',
        figure: `${grownMiB.toFixed(0)} MiB`,
        goal: `< ${goals.memoryMiB} MiB`,
        met: grownMiB < goals.memoryMiB,
      },
    ];
  } finally {
    await installation.close();
    await site.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A JSON export of letters with files of this size, piece by piece. */
function* exportText(fileBytes: number): Generator<string> {
  const at = new Date(Date.now() - 60_000).toISOString();
  const head = { format: 'everkept-export', version: 1, exportedAt: at };
  const account = { id: '01890000-0000-7000-8000-000000000000' };
  yield `${JSON.stringify({ ...head, account, documents: [], contacts: [], checklists: [] }).slice(0, -1)},"messages":[`;
  for (let number = 1; number <= messages; number += 1) {
    const words = { title: `Letter ${number}`, content: 'word '.repeat(200).trim(), encryptedContent: null };
    const states = { category: 'personal', status: 'draft', visibleToTrustedContact: false };
    const times = { createdAt: at, updatedAt: at };
    const file = pdfOf(fileBytes, number);
    const attachment = { name: `file-${number}.pdf`, sizeBytes: file.length, base64: file.toString('base64') };
    const letter = { ...words, ...states, ...times, recipientEmail: 'nell@ashworth.example', attachment };
    yield `${number === 1 ? '' : ','}${JSON.stringify(letter)}`;
  }
  yield ']}';
}

function pdfOf(sizeBytes: number, seed: number): Buffer {
  const [head, tail] = ['%PDF-1.4\n1 0 obj<<>>endobj\n', '\ntrailer<<>>\n%%EOF\n'].map((text) => Buffer.from(text));
  if (!head || !tail) throw new Error('A PDF has a beginning and an end.');
  const body = Buffer.alloc(Math.max(0, sizeBytes - head.length - tail.length));
  // Bytes that no compression shortens, by a linear congruential generator, which costs next to nothing.
  for (let at = 0, state = seed; at + 4 <= body.length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    body.writeUInt32LE(state, at);
  }
  return Buffer.concat([head, body, tail]);
}

/**
 * Uses the plainest client, which shares the machine with the measured server: reads the connection into one buffer
 * and writes that to the disk.
 */
async function saveExport(site: Site, { cookie, path }: { cookie: string; path: string }): Promise<void> {
  const { host, hostname, port, origin } = new URL(site.url);
  const file = openSync(path, 'w');
  let head = '';
  let tail = '';
  const buffer = Buffer.alloc(receivedBytes);
  const callback = (length: number) => {
    const received = buffer.subarray(0, length);
    writeSync(file, received);
    if (head === '') head = received.toString('latin1', 0, answered.length);
    tail = `${tail}${received.toString('latin1', Math.max(0, length - ended.length))}`.slice(-ended.length);
    return true;
  };
  try {
    const socket = connect({ host: hostname, port: Number(port), onread: { buffer, callback } });
    const headers = [`Host: ${host}`, `Origin: ${origin}`, `Cookie: ${cookie}`, 'Content-Type: application/json'];
    const request = ['POST /api/export-data HTTP/1.1', ...headers, 'Content-Length: 2', 'Connection: close', '', '{}'];
    socket.write(request.join('\r\n'));
    await once(socket, 'close');
  } finally {
    closeSync(file);
  }
  if (head !== answered) throw new Error(`The export was answered "${head}".`);
  if (tail !== ended) throw new Error('The export broke off.');
}

/** The least that an export has to do with files: open each, as the product does, and write it down in the same way. */
async function copyFiles(app: App, folder: string): Promise<void> {
  const owner = await findOwnerByEmail(app.db, email);
  if (!owner) throw new Error('The owner of the bench is gone.');
  const known = await listKnownMessages(app, app.db, owner.id, await openVault(app, app.db, owner.id));
  const file = openSync(join(folder, 'files'), 'w');
  let copiedBytes = 0;
  try {
    for (const { attachment } of known) {
      if (attachment) for await (const piece of await attachment.open()) copiedBytes += writeSync(file, piece);
    }
  } finally {
    closeSync(file);
  }
  if (copiedBytes === 0) throw new Error('There were no files to read.');
}

/** Megabytes a second. */
async function rateOf(totalBytes: number, work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return totalBytes / 1_000 / (performance.now() - start);
}

/** Bytes that a process holds in memory (proc(5), VmRSS). */
