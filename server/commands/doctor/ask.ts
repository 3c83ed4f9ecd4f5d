import { type IncomingHttpHeaders, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { TLSSocket } from 'node:tls';

/** A visitor would leave the page long before. */
export const answerTimeoutMs = 10_000;
const answerLengthMax = 100_000;

type Asked = { headers?: Record<string, string>; body?: Body; timeoutMs?: number };
/** A body of so many bytes, which is only announced or comes as well. */
export type Body = { bytes: number; comes: boolean };
export type Answer = {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The address of ours that the connection came from. */
  ownAddress: string;
  certificateEndsAt: Date | null;
};

/** No answer came in time. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** Asks once, follows nothing, and waits no longer than told. Of a long answer the beginning is read. */
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
    if (body && !body.comes) sent.flushHeaders();
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

/** JSON value of a text, or null if the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A web page, or words of a proxy: another server has answered.
    return null;
  }
}

/** The origin alone, since the rest of an address may contain a secret. */
export function originOf(address: string, base: URL): string {
  return URL.canParse(address, base) ? new URL(address, base).origin : 'an address that cannot be read';
}

/** An error's code, or words in its place: messages repeat addresses. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no reason given';
}
