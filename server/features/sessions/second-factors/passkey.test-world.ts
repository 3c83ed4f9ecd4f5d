import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** The server's challenge, in the fields that an authenticator reads. */
export type Question = { options: Record<string, unknown>; ticket: string };

export type TestPasskey = {
  id: string;
  /** Answers the question of a registration. */
  made(question: Question, origin: string): { ticket: string; response: object };
  /** Answers a question. The counter increases, unless `counter` sets it. */
  answer(
    question: Question,
    origin: string,
    given?: { counter?: number; isVerified?: boolean; userHandle?: string },
  ): { ticket: string; response: object };
};

const userPresent = 0x01;
const userVerified = 0x04;
const hasCredential = 0x40;

/** An authenticator in software (WebAuthn Level 3 §6), with one ES256 key for `rpId` and no attestation. */
export function createPasskey(rpId: string): TestPasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  let counted = 0;

  const clientData = (type: string, { options }: Question, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge: options.challenge, origin, crossOrigin: false }));

  function authenticatorData(flags: number, counter: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.of(flags), count]);
  }

  const response = (type: 'made' | 'used', fields: object) => ({
    id,
    rawId: id,
    type: 'public-key',
    authenticatorAttachment: type === 'made' ? 'platform' : 'cross-platform',
    response: fields,
  });

  return {
    id,
    made(question, origin) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const attested = [Buffer.alloc(16), length, credentialId, coseKey(publicKey.export({ format: 'jwk' }))];
      const authData = Buffer.concat([authenticatorData(userPresent | userVerified | hasCredential, 0), ...attested]);
      const attestationObject = cbor(
        new Map<string, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', authData],
        ]),
      );
      const clientDataJSON = clientData('webauthn.create', question, origin);
      return {
        ticket: question.ticket,
        response: response('made', {
          clientDataJSON: clientDataJSON.toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        }),
      };
    },
    answer(question, origin, { counter, isVerified = true, userHandle } = {}) {
      counted += 1;
      const flags = userPresent | (isVerified ? userVerified : 0);
      const data = authenticatorData(flags, counter ?? counted);
      const clientDataJSON = clientData('webauthn.get', question, origin);
      const signed = Buffer.concat([data, createHash('sha256').update(clientDataJSON).digest()]);
      return {
        ticket: question.ticket,
        response: response('used', {
          clientDataJSON: clientDataJSON.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
          ...(userHandle === undefined ? {} : { userHandle }),
        }),
      };
    },
  };
}

/** COSE_Key of ES256 (RFC 9053 §2.1): kty 2, alg -7, crv 1. */
function coseKey({ x = '', y = '' }: JsonWebKey): Buffer {
  const bytesOf = (text: string) => Buffer.from(text, 'base64url');
  return cbor(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytesOf(x)],
      [-3, bytesOf(y)],
    ]),
  );
}

/** The parts of CBOR (RFC 8949) that are needed here: whole numbers, bytes, text and maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)]);
  throw new Error('Nobody needed that yet.');
}

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.of((major << 5) | value);
  if (value < 256) return Buffer.of((major << 5) | 24, value);
  return Buffer.of((major << 5) | 25, value >> 8, value & 255);
}
