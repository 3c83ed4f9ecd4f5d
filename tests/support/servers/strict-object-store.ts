import { createHash, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export const strictStoreKeys = { region: 'eu-west-2', accessKeyId: 'EVERKEPT', secretAccessKey: 'only-for-tests' };

/** Answer that replaces the next one. `cut` breaks the connection in the middle of the answer. */
export type Fault = { status: number; code: string } | 'cut';

type Asked = { method: string; key: string; query: URLSearchParams; body: Buffer; request: IncomingMessage };
type Multipart = { key: string; initiated: Date; parts: Map<number, Buffer> };
type Answer = { status: number; body?: Buffer | string; headers?: Record<string, string | number> };

export type StrictObjectStore = {
  endpoint: string;
  objects: Map<string, Buffer>;
  /** Time when an object was stored, where that is not just now. */
  storedAt: Map<string, Date>;
  /** Uploads in parts that were begun and neither completed nor aborted. */
  uploads: Map<string, Multipart>;
  /** Requests in order, as `PUT key?query`. */
  asked: string[];
  /** Called for each request that is signed as it should be; gives what goes wrong with it, or null. */
  fault: ((asked: string) => Fault | null) | null;
  close(): Promise<void>;
};

const partBytesMin = 5 * 1024 * 1024;
/** Few, so that every list has pages. */
const pageSize = 2;

class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/**
 * An object store in this process, after Amazon's description of S3. It refuses what Amazon refuses: a wrong
 * signature, a body that does not match it, a small part in the middle, an unknown framing.
 */
export async function startStrictObjectStore(bucket: string): Promise<StrictObjectStore> {
  const store: Omit<StrictObjectStore, 'endpoint' | 'close'> = {
    objects: new Map(),
    storedAt: new Map(),
    uploads: new Map(),
    asked: [],
    fault: null,
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      const body = `<Error><Code>${error.code}</Code><Message>${error.code}</Message></Error>`;
      response.writeHead(error.status, { 'content-type': 'application/xml' }).end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const url = new URL(request.url ?? '/', 'http://store');
    requireSignature(request, url, body);
    const [, place, ...rest] = decodeURIComponent(url.pathname).split('/');
    if (place !== bucket) throw new Refusal(404, 'NoSuchBucket');
    const key = rest.join('/');
    const method = request.method ?? '';
    const name = `${method} ${key}${url.search}`;
    store.asked.push(name);
    const fault = store.fault?.(name) ?? null;
    if (fault !== null && fault !== 'cut') throw new Refusal(fault.status, fault.code);
    const due = answerTo(store, { method, key, query: url.searchParams, body, request });
    const content = due.body ?? '';
    response.writeHead(due.status, { 'content-length': Buffer.byteLength(content), ...due.headers });
    if (fault === 'cut') {
      response.write(content.slice(0, Math.floor(content.length / 2)), () => response.destroy());
      return;
    }
    response.end(method === 'HEAD' ? undefined : content);
  }

  return Object.assign(store, {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  });
}

type Kept = Pick<StrictObjectStore, 'objects' | 'storedAt' | 'uploads'>;

function answerTo(kept: Kept, asked: Asked): Answer {
  const { method, key, query } = asked;
  const uploadId = query.get('uploadId');
  if (method === 'GET' && query.has('uploads')) return listUploads(kept, query);
  if (method === 'GET' && query.get('list-type') === '2') return listObjects(kept, query);
  if (method === 'POST' && query.has('uploads')) return begin(kept, key);
  if (uploadId !== null) return onUpload(kept, asked, uploadId);
  if (method === 'PUT') {
    kept.objects.set(key, asked.body);
    return { status: 200, headers: { etag: etagOf(asked.body) } };
  }
  if (method === 'DELETE') {
    kept.objects.delete(key);
    return { status: 204 };
  }
  return give(kept, asked);
}

function give({ objects }: Kept, { key, request }: Asked): Answer {
  const content = objects.get(key);
  if (!content) throw new Refusal(404, 'NoSuchKey');
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const headers = { etag: etagOf(content), 'accept-ranges': 'bytes' };
  // HEAD has no body; its length is that of what GET would give.
  if (from === undefined) return { status: 200, body: content, headers };
  const start = Number(from);
  if (start >= content.length) throw new Refusal(416, 'InvalidRange');
  const end = Math.min(to ? Number(to) : content.length - 1, content.length - 1);
  const range = `bytes ${start}-${end}/${content.length}`;
  return { status: 206, body: content.subarray(start, end + 1), headers: { ...headers, 'content-range': range } };
}

function begin({ uploads }: Kept, key: string): Answer {
  const id = randomUUID();
  uploads.set(id, { key, initiated: new Date(), parts: new Map() });
  return xml('InitiateMultipartUploadResult', `<Key>${key}</Key><UploadId>${id}</UploadId>`);
}

function onUpload({ objects, uploads }: Kept, { method, key, query, body }: Asked, id: string): Answer {
  const upload = uploads.get(id);
  if (upload?.key !== key) throw new Refusal(404, 'NoSuchUpload');
  if (method === 'DELETE') {
    uploads.delete(id);
    return { status: 204 };
  }
  if (method === 'PUT') {
    upload.parts.set(Number(query.get('partNumber')), body);
    return { status: 200, headers: { etag: etagOf(body) } };
  }
  const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, part]) => Number(part));
  const tags = [...body.toString().matchAll(/<ETag>(.*?)<\/ETag>/g)].map(([, tag]) => tag?.replaceAll('&quot;', '"'));
  const parts = named.map((part) => upload.parts.get(part));
  if (parts.some((part, index) => !part || etagOf(part) !== tags[index])) throw new Refusal(400, 'InvalidPart');
  if (named.some((part, index) => index > 0 && part <= (named[index - 1] ?? 0))) {
    throw new Refusal(400, 'InvalidPartOrder');
  }
  const whole = parts.filter((part) => part !== undefined);
  if (whole.slice(0, -1).some((part) => part.length < partBytesMin)) throw new Refusal(400, 'EntityTooSmall');
  uploads.delete(id);
  objects.set(key, Buffer.concat(whole));
  return xml('CompleteMultipartUploadResult', `<Key>${key}</Key><ETag>&quot;whole&quot;</ETag>`);
}

function listObjects({ objects, storedAt }: Kept, query: URLSearchParams): Answer {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
  const page = keys.slice(0, pageSize);
  const isCut = keys.length > page.length;
  const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  const timeOf = (key: string) => (storedAt.get(key) ?? new Date()).toISOString();
  const contents = page
    .map((key) => `<Contents><Key>${key}</Key><LastModified>${timeOf(key)}</LastModified></Contents>`)
    .join('');
  return xml('ListBucketResult', `<IsTruncated>${isCut}</IsTruncated>${next}${contents}`);
}

function listUploads({ uploads }: Kept, query: URLSearchParams): Answer {
  const prefix = query.get('prefix') ?? '';
  const after = `${query.get('key-marker') ?? ''} ${query.get('upload-id-marker') ?? ''}`;
  const placeOf = ([id, { key }]: [string, Multipart]) => `${key} ${id}`;
  const all = [...uploads]
    .filter((each) => each[1].key.startsWith(prefix) && placeOf(each) > after)
    .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  const page = all.slice(0, pageSize);
  const last = page.at(-1);
  const isCut = all.length > page.length;
  const next = isCut
    ? `<NextKeyMarker>${last?.[1].key}</NextKeyMarker><NextUploadIdMarker>${last?.[0]}</NextUploadIdMarker>`
    : '';
  const words = page.map(
    ([id, { key, initiated }]) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
  );
  return xml('ListMultipartUploadsResult', `<IsTruncated>${isCut}</IsTruncated>${next}${words.join('')}`);
}

function xml(root: string, inner: string): Answer {
  const headers = { 'content-type': 'application/xml' };
  return { status: 200, headers, body: `<?xml version="1.0" encoding="UTF-8"?><${root}>${inner}</${root}>` };
}

function etagOf(content: Buffer): string {
  return `"${createHash('md5').update(content).digest('hex')}"`;
}

const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();

/** Signature Version 4, in the header. */
function requireSignature({ method, headers }: IncomingMessage, url: URL, body: Buffer): void {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=(.*), ?Signature=(.*)$/;
  const [, id, day, region, signed = '', signature] = form.exec(headers.authorization ?? '') ?? [];
  if (id !== strictStoreKeys.accessKeyId) throw new Refusal(403, 'InvalidAccessKeyId');
  const payload = String(headers['x-amz-content-sha256']);
  if (payload.startsWith('STREAMING-')) throw new Refusal(501, 'NotImplemented');
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body)) throw new Refusal(400, 'XAmzContentSHA256Mismatch');
  const md5 = headers['content-md5'];
  if (md5 !== undefined && md5 !== createHash('md5').update(body).digest('base64')) throw new Refusal(400, 'BadDigest');

  const strict = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${hexOf(sign)}`);
  const query = [...url.searchParams].map(([name, value]) => `${strict(name)}=${strict(value)}`).toSorted();
  const lines = signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}`);
  const request = [method, url.pathname, query.join('&'), ...lines, '', signed, payload].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(request)].join('\n');
  const key = [String(region), 's3', 'aws4_request'].reduce<Buffer>(
    (secret, part) => hmac(secret, part),
    hmac(`AWS4${strictStoreKeys.secretAccessKey}`, String(day)),
  );
  if (hmac(key, text).toString('hex') !== signature) throw new Refusal(403, 'SignatureDoesNotMatch');
}

function hexOf(sign: string): string {
  return sign.charCodeAt(0).toString(16).toUpperCase();
}
