import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createCertificate } from '../tills/certificate.ts';

type Push = { path: string; headers: IncomingHttpHeaders; body: Buffer };

export type PushService = {
  url: string;
  /** Certificate that its callers have to trust. */
  ca: string;
  received: Push[];
  /** Status of further answers; 201 as a push service gives it (RFC 8030). */
  status: number;
  close(): Promise<void>;
};

/** A push service on this machine, which keeps each message and delivers none. */
export async function startPushService(port = 0): Promise<PushService> {
  const { privateKey, pem } = createCertificate('localhost');
  const received: Push[] = [];
  const server = createServer({ key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert: pem });
  const service: PushService = {
    url: '',
    ca: pem,
    received,
    status: 201,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  server.on('request', async (request, response) => {
    received.push({ path: request.url ?? '', headers: request.headers, body: await buffer(request) });
    response.writeHead(service.status, service.status === 302 ? { location: '/elsewhere' } : {}).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  service.url = `https://localhost:${(server.address() as AddressInfo).port}`;
  return service;
}

/** A browser's side of a subscription: what it hands out, and how it reads a message. */
export function subscribedBrowser(service: Pick<PushService, 'url'>, name: string) {
  const pair = createECDH('prime256v1');
  const own = pair.generateKeys();
  const auth = randomBytes(16);
  const keys = { p256dh: own.toString('base64url'), auth: auth.toString('base64url') };

  /** Decrypts a body of one record (RFC 8188, RFC 8291). */
  function read(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const sender = body.subarray(21, 21 + body.readUInt8(20));
    const sealed = body.subarray(21 + sender.length);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, sender]);
    const secret = Buffer.from(hkdfSync('sha256', pair.computeSecret(sender), auth, info, 32));
    const derive = (use: string, length: number) =>
      Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${use}\0`, length));
    const opener = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    opener.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([opener.update(sealed.subarray(0, -16)), opener.final()]);
    // A last record ends with 2 and padding.
    return plain.subarray(0, plain.lastIndexOf(2)).toString('utf8');
  }

  return { subscription: { endpoint: `${service.url}/${name}`, keys }, read };
}

/** Claims of the sender's token, if it is signed by the key beside it (RFC 8292). */
export function vapidClaims(authorization = ''): { publicKey: string; aud: string; sub: string } {
  const [, token = '', publicKey = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(publicKey, 'base64url');
  const coordinates = { x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') };
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', ...coordinates }, format: 'jwk' });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) throw new Error('The token is not signed by this key.');
  return {
    publicKey,
    ...(JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { aud: string; sub: string }),
  };
}
