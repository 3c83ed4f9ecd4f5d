import { connect } from 'node:net';

/** Framings of a request; all but the first are forbidden by RFC 9112 or tolerated by old servers. */
export const framings = [
  'whole',
  'chunked',
  'length too large',
  'length too small',
  'two lengths',
  'length and chunks',
  'length that is none',
  'bare line feeds',
  'no host',
  'two hosts',
  'HTTP/1.0',
  'folded header',
] as const;
export type Framing = (typeof framings)[number];

export type Wire = { method: string; path: string; headers: [name: string, value: string][]; body: Buffer | null };

/** The answer as far as it came; status 0 where the line was closed without a word. */
export type Answer = { status: number; headers: Map<string, string>; body: string; cookies: string[] };

const answerWithinMs = 60_000;
const endsAfterMs = 500;
const answerBytesMax = 64 * 1_048_576;

/** The bytes of a request. Nothing is escaped: what does not belong into a path or a header goes out all the same. */
export function bytesOf({ method, path, headers, body }: Wire, framing: Framing): Buffer {
  const length = body?.length ?? 0;
  const framed: [string, string][] = [
    ...(framing === 'no host' ? [] : [['host', 'localhost:3000'] as [string, string]]),
    ...(framing === 'two hosts' ? [['host', 'elsewhere.example'] as [string, string]] : []),
    ['connection', 'close'],
    ...headers,
    ...lengthHeaders(framing, length, body !== null),
  ];
  const end = framing === 'bare line feeds' ? '\n' : '\r\n';
  const version = framing === 'HTTP/1.0' ? 'HTTP/1.0' : 'HTTP/1.1';
  const lines = framed.map(([name, value]) => `${name}:${framing === 'folded header' ? `${end} ` : ' '}${value}`);
  const head = Buffer.from([`${method} ${path} ${version}`, ...lines, '', ''].join(end), 'utf8');
  return Buffer.concat([head, isChunked(framing) ? inChunks(body ?? Buffer.alloc(0)) : (body ?? Buffer.alloc(0))]);
}

const isChunked = (framing: Framing) => framing === 'chunked' || framing === 'length and chunks';

function lengthHeaders(framing: Framing, length: number, hasBody: boolean): [string, string][] {
  const chunked: [string, string] = ['transfer-encoding', 'chunked'];
  const of = (value: string | number): [string, string] => ['content-length', String(value)];
  if (framing === 'chunked') return [chunked];
  if (framing === 'length and chunks') return [of(length), chunked];
  if (framing === 'length too large') return [of(length + 10)];
  if (framing === 'length too small') return [of(Math.max(0, length - 5))];
  if (framing === 'two lengths') return [of(length), of(length + 1)];
  if (framing === 'length that is none') return [of('-1e9')];
  return hasBody ? [of(length)] : [];
}

function inChunks(body: Buffer): Buffer {
  const last = Buffer.from('0\r\n\r\n');
  if (body.length === 0) return last;
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n'), last]);
}

/** True if the request is all there, in a form that the server has to answer. */
export const isWhole = (framing: Framing): boolean => framing === 'whole' || framing === 'chunked';

/**
 * Sends the bytes over a new connection, and reads until the server closes it. If the server waits for announced
 * bytes that never come, the connection is half-closed after a moment.
 *
 * @throws Error if the connection stays open without an answer for a minute.
 */
export function exchange(port: number, bytes: Buffer, framing: Framing): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(bytes));
    const ending = isWhole(framing) ? undefined : setTimeout(() => socket.end(), endsAfterMs);
    socket.setTimeout(answerWithinMs, () => socket.destroy(new Error('There was no answer within a minute.')));
    socket.on('data', (part) => {
      length += part.length;
      if (length <= answerBytesMax) parts.push(part);
    });
    // A server that refuses a body before it was read resets the connection; what it said before counts.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => {
      clearTimeout(ending);
      resolve(parse(Buffer.concat(parts).toString('latin1')));
    });
  });
}

function parse(text: string): Answer {
  // That we may go on is no answer yet.
  if (text.startsWith('HTTP/1.1 100 ')) return parse(text.slice(text.indexOf('\r\n\r\n') + 4));
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const pairs = fields.map((field): [string, string] => {
    const at = field.indexOf(':');
    return [field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()];
  });
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? 0),
    headers: new Map(pairs),
    // Read byte by byte above, so that files survive; what people wrote is UTF-8.
    body: Buffer.from(rest.join('\r\n\r\n'), 'latin1').toString('utf8'),
    cookies: pairs.filter(([name]) => name === 'set-cookie').map(([, value]) => value.split(';')[0] ?? ''),
  };
}
