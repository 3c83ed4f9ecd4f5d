import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { AppError } from '#shared/contract/errors.ts';

const derive = promisify(argon2);

/** OWASP's least for Argon2id: 19 MiB, two passes, one lane. Raising them takes effect at each person's next sign-in. */
const argon2Parameters: Parameters = { memoryKib: 19_456, passes: 2, lanes: 1 };
const saltBytes = 16;
const tagBytes = 32;

/** Passwords worked on at once; each takes 19 MiB and a thread of Node's pool, which files need too. */
const atOnce = 2;
/** Passwords that may wait, two to three seconds' worth. One more is refused: waiting longer helps nobody. */
export const waitingMax = 100;
const busyRetrySeconds = 3;

/** The PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`, base64 without padding. */
const phcPattern =
  /^\$argon2id\$v=19\$m=(?<memory>\d{1,7}),t=(?<passes>\d{1,2}),p=(?<lanes>\d{1,2})\$(?<salt>[A-Za-z0-9+/]{11,86})\$(?<tag>[A-Za-z0-9+/]{43,86})$/;

export type Passwords = {
  /** @throws AppError `UNAVAILABLE` when too many are waiting. */
  hash(password: string): Promise<string>;
  /**
   * Whether `password` is the one that was hashed. Where there is no hash, since the address is unknown or signs in
   * otherwise, the same work is done for nothing, so that the time taken does not tell.
   *
   * @throws AppError `UNAVAILABLE` when too many are waiting.
   */
  verify(stored: string | null, password: string): Promise<boolean>;
  /** Whether a hash was made with other parameters than today's. */
  isOutdated(stored: string): boolean;
};

/** Argon2id (RFC 9106) by Node's own crypto, a few at a time. */
export function createPasswords(parameters = argon2Parameters): Passwords {
  const limit = pLimit(atOnce);
  const decoy = phc(parameters, randomBytes(saltBytes), randomBytes(tagBytes));

  const queued = <T>(work: () => Promise<T>): Promise<T> => {
    if (limit.pendingCount >= waitingMax) {
      throw new AppError('UNAVAILABLE', 'Very many people are signing in just now. Try again in a few seconds.', {
        retryAfterSeconds: busyRetrySeconds,
      });
    }
    return limit(work);
  };

  return {
    hash: async (password) =>
      queued(async () => {
        const salt = randomBytes(saltBytes);
        return phc(parameters, salt, await tagOf(password, { ...parameters, salt, tagLength: tagBytes }));
      }),
    verify: async (stored, password) =>
      queued(async () => {
        const { tag, ...rest } = parsed(stored ?? decoy);
        const found = await tagOf(password, { ...rest, tagLength: tag.length });
        return timingSafeEqual(found, tag) && stored !== null;
      }),
    isOutdated: (stored) => {
      const { memoryKib, passes, lanes } = parsed(stored);
      return memoryKib !== parameters.memoryKib || passes !== parameters.passes || lanes !== parameters.lanes;
    },
  };
}

type Parameters = { memoryKib: number; passes: number; lanes: number };

function tagOf(password: string, options: Parameters & { salt: Buffer; tagLength: number }): Promise<Buffer> {
  return derive('argon2id', {
    message: password,
    nonce: options.salt,
    memory: options.memoryKib,
    passes: options.passes,
    parallelism: options.lanes,
    tagLength: options.tagLength,
  });
}

function phc({ memoryKib, passes, lanes }: Parameters, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** What is stored was written by us, so anything else is a broken row and not a wrong password. */
function parsed(stored: string): Parameters & { salt: Buffer; tag: Buffer } {
  const { memory, passes, lanes, salt, tag } = phcPattern.exec(stored)?.groups ?? {};
  if (!memory || !passes || !lanes || !salt || !tag)
    throw new Error('A stored password is not an Argon2id PHC string.');
  return {
    memoryKib: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
