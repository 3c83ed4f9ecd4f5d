import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OutgoingFile, OutgoingStream } from '#server/platform/files/incoming.ts';
import { firstBytes, keepError } from '#server/platform/streams/streams.ts';
import { AppError } from '#shared/contract/errors.ts';
import { productName } from '#shared/product.ts';

type ByteRange = { start: number; end: number };

/** Files can't run anything in a browser, even if a link leads straight to one. */
const harmless = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
};

/** Keeps an answer out of caches and search engines. */
export function keepPrivate(reply: FastifyReply): void {
  reply.header('x-robots-tag', 'noindex, nofollow').header('cache-control', 'no-store');
}

/**
 * Sends a file as a download, whole or one requested range (RFC 9110 §14.2). The first bytes are read before the
 * headers leave, so that an unreadable file becomes an error. A later failure ends the answer short of its announced
 * length.
 */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, file: OutgoingFile) {
  const { sizeBytes } = file;
  const range = readRange(request, sizeBytes);
  const { start, end } = typeof range === 'object' && range ? range : { start: 0, end: sizeBytes - 1 };
  const isWanted = range !== 'unsatisfiable' && request.method !== 'HEAD' && end >= start;
  const content = isWanted ? await openToSend(file, range) : Readable.from([], { objectMode: false });
  reply.headers(harmless).headers({
    'content-type': file.mimeType,
    'content-disposition': dispositionOf(file.name),
    'accept-ranges': 'bytes',
  });
  if (range === 'unsatisfiable') {
    // Callers that ask for ranges read this header, so the body is empty.
    return reply.code(416).header('content-range', `bytes */${sizeBytes}`).header('content-length', '0').send('');
  }

  reply.code(range ? 206 : 200).header('content-length', String(end - start + 1));
  if (range) reply.header('content-range', `bytes ${start}-${end}/${sizeBytes}`);
  reply.raw.once('close', () => content.destroy());
  return reply.send(content);
}

/** The caller has left; this is no failure of ours. */
function callerLeft(): AppError {
  return new AppError('VALIDATION', 'The connection was closed, so the work for it was given up.');
}

/** Aborts when the connection closes, so that a file that is being made for it is given up. */
export function leftSignal({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  raw.once('close', () => left.abort(callerLeft()));
  return left.signal;
}

/** Sends a file while it is made. Stops if the caller leaves. */
export async function sendStream(reply: FastifyReply, { name, mimeType, content, headers = {} }: OutgoingStream) {
  reply.raw.once('close', () => content.destroy());
  await firstBytes(keepError(content));
  return reply
    .headers(harmless)
    .headers({ 'content-type': mimeType, 'content-disposition': dispositionOf(name), ...headers })
    .send(content);
}

async function openToSend(file: OutgoingFile, range: ByteRange | null): Promise<Readable> {
  const content = await file.open(range ?? undefined);
  // Rejects where the first segment is broken.
  await firstBytes(keepError(content));
  return content;
}

/** The one range that is asked for; null for the whole, which also answers whatever we do not understand. */
function readRange({ headers, method }: FastifyRequest, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  // Files have no validators, so a client can't know that a part still matches (RFC 9110 §13.1.5).
  if (headers.range === undefined || headers['if-range'] !== undefined || method !== 'GET') return null;
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(headers.range.trim()) ?? [];
  if (from === '' && to === '') return null;

  const last = sizeBytes - 1;
  if (from === '') return Number(to) === 0 || sizeBytes === 0 ? 'unsatisfiable' : range(sizeBytes - Number(to), last);
  if (to !== '' && Number(to) < Number(from)) return null;
  if (Number(from) > last) return 'unsatisfiable';
  return range(Number(from), to === '' ? last : Math.min(Number(to), last));
}

function range(start: number, end: number): ByteRange {
  return { start: Math.max(0, start), end };
}

/** RFC 6266, with the name once in ASCII for old programs and once in full (RFC 8187). */
export function dispositionOf(name: string): string {
  const plain = asciiName(name);
  const full = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`;
}

/** Letters that Unicode does not decompose into an ASCII letter and a mark, and typographic signs. */
const asciiOf: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ð: 'd', Ð: 'D' },
  ...{ þ: 'th', Þ: 'Th', ı: 'i', '’': "'", '‘': "'", '–': '-', '—': '-', '…': '...', '"': "'", '“': "'", '”': "'" },
};

/** Returns a readable name in ASCII: marks are dropped, and other characters become one space. */
function asciiName(name: string): string {
  const readable = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|["\\%]/gu, (letter) => asciiOf[letter] ?? ' ')
    .replace(/ +/g, ' ')
    .replace(/ (?=\.)/g, '')
    .trim();
  return /^(?:[^.]*[A-Za-z0-9])/.test(readable)
    ? readable
    : `${productName}${readable.slice(Math.max(0, readable.lastIndexOf('.')))}`;
}
