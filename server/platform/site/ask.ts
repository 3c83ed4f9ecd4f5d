import { type IncomingHttpHeaders, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { TLSSocket } from 'node:tls';

/** Longest wait for an answer. A visitor would leave the page long before. */
export const answerTimeoutMs = 10_000;
/** Characters of an answer that are read at most. */
const answerLengthMax = 100_000;

type Asked = { headers?: Record<string, string>; body?: Body; timeoutMs?: number };
/** Body of an upload. Without `isSent` only its length is announced, because most proxies refuse a large body by that. */
export type Body = { bytes: number; isSent: boolean };
export type Answer = {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Address of this machine that the connection came from. */
  ownAddress: string;
  certificateEndsAt: Date | null;
};

/** No answer came in time. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/**
 * Sends one request, as an upload if it has a body, and follows no redirect. Reads only the beginning of a long answer.
 *
 * @throws NoAnswerError after `timeoutMs`.
 */
export function ask(url: URL, { headers = {}, body, timeoutMs = answerTimeoutMs }: Asked = {}): Promise<Answer> {
  const method = body ? 'POST' : 'GET';
  const form = body && { 'content-length': String(body.bytes), 'content-type': 'multipart/form-data; boundary=doctor' };
  return new Promise<Answer>((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestTls : requestPlain;
    const sent = request(url, { method, agent: false, headers: { ...headers, ...form } });
    const giveUp = () => {
      reject(new NoAnswerError());
      sent.destroy();
    };
    const timer = setTimeout(giveUp, timeoutMs);
    sent.on('error', reject);
    sent.on('close', () => clearTimeout(timer));
    sent.on('response', (answer) => {
      read(answer)
        .then(resolve, reject)
        .finally(() => sent.destroy());
    });
    if (body && !body.isSent) sent.flushHeaders();
    else sent.end(body && Buffer.alloc(body.bytes));
  });
}

async function read(answer: IncomingMessage): Promise<Answer> {
  const { socket, statusCode = 0, headers } = answer;
  const ownAddress = socket.localAddress ?? '';
  const validTo = socket instanceof TLSSocket ? socket.getPeerCertificate().valid_to : undefined;
  let text = '';
  for await (const part of answer.setEncoding('utf8')) {
    text += part;
    if (text.length > answerLengthMax) break;
  }
  return { status: statusCode, headers, text, ownAddress, certificateEndsAt: validTo ? new Date(validTo) : null };
}

/** Returns the end of the site's certificate. Null if its address is not https. @throws the error of the connection. */
export async function readCertificateEnd(baseUrl: string): Promise<Date | null> {
  const url = new URL(baseUrl);
  return url.protocol === 'https:' ? (await ask(url)).certificateEndsAt : null;
}

/** JSON value of a text, or null if the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Another server has answered, with a web page or the error of a proxy.
    return null;
  }
}

/** Returns the origin alone, because the rest of an address may contain a secret. */
export function originOf(address: string, base: URL): string {
  return URL.canParse(address, base) ? new URL(address, base).origin : 'an address that cannot be read';
}

/** Returns an error's code. Its message is left out, because it repeats addresses, which may contain secrets. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no reason given';
}
