import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { createSlots } from '#server/platform/slots.ts';
import { AppError } from '#shared/contract/errors.ts';
import { normalisedPassword } from '#shared/rules/passwords.ts';
import { withoutEnd } from '#shared/text-ends.ts';

const derive = promisify(argon2);

/** OWASP's least for Argon2id: 19 MiB, two passes, one lane. Raising them takes effect at each person's next sign-in. */
const argon2Parameters: Parameters = { memoryKib: 19_456, passes: 2, lanes: 1 };
const saltBytes = 16;
const tagBytes = 32;

/** Passwords worked on at once; each takes 19 MiB and a thread of Node's pool, which files need too. */
const atOnce = 2;
/** Passwords that may wait, which is two to three seconds of work. One more refuses the last of the longest line. */
export const waitingMax = 100;
const busyRetrySeconds = 3;

/** The PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`, base64 without padding. */
const phcPattern =
  /^\$argon2id\$v=19\$m=(?<memory>\d{1,7}),t=(?<passes>\d{1,2}),p=(?<lanes>\d{1,2})\$(?<salt>[A-Za-z0-9+/]{11,86})\$(?<tag>[A-Za-z0-9+/]{43,86})$/;

export type Passwords = {
  /** @throws AppError `UNAVAILABLE` when too many are waiting. */
  hash(password: string): Promise<string>;
  /**
   * True if `password` is the one that was hashed. Without a hash it does the same work and returns false, so that the time does not
   * show if an account has a password.
   *
   * @throws AppError `UNAVAILABLE` when too many are waiting.
   */
  verify(stored: string | null, password: string): Promise<boolean>;
  /**
   * As `verify`. `outdated`: the password is right, and its hash was made with other parameters than today's or from the
   * characters as they were typed. Replace the hash then. `atTurn` runs before the check, when its turn has come: not at all
   * if too many wait. Its error is thrown, and nothing is checked.
   */
  check(stored: string | null, password: string, atTurn?: () => Promise<void>): Promise<PasswordCheck>;
};

export type PasswordCheck = 'right' | 'outdated' | 'wrong';

/** Argon2id (RFC 9106) by Node's own crypto, a few at a time. Passwords are normalised before they are hashed. */
export function createPasswords(parameters = argon2Parameters): Passwords {
  const slots = createSlots({ slotsMax: atOnce, waitingMax, full: tooManyWait });
  const decoy = phc(parameters, randomBytes(saltBytes), randomBytes(tagBytes));

  const check: Passwords['check'] = (stored, password, atTurn) =>
    slots.run(async () => {
      await atTurn?.();
      const { tag, ...rest } = parsed(stored ?? decoy);
      const isMatch = async (spelling: string) =>
        timingSafeEqual(await tagOf(spelling, { ...rest, tagLength: tag.length }), tag);
      const normalised = normalisedPassword(password);
      const isRight = await isMatch(normalised);
      // Old hashes were made from the characters as typed.
      const isRightAsTyped = !isRight && normalised !== password && (await isMatch(password));
      if (stored === null || (!isRight && !isRightAsTyped)) return 'wrong';
      return isRightAsTyped || !hasParameters(rest, parameters) ? 'outdated' : 'right';
    });

  return {
    hash: async (password) =>
      slots.run(async () => {
        const salt = randomBytes(saltBytes);
        const normalised = normalisedPassword(password);
        return phc(parameters, salt, await tagOf(normalised, { ...parameters, salt, tagLength: tagBytes }));
      }),
    verify: async (stored, password) => (await check(stored, password)) !== 'wrong',
    check,
  };
}

function tooManyWait(): AppError {
  return new AppError('UNAVAILABLE', 'Very many people are signing in just now. Try again in a few seconds.', {
    retryAfterSeconds: busyRetrySeconds,
  });
}

type Parameters = { memoryKib: number; passes: number; lanes: number };

function hasParameters(one: Parameters, other: Parameters): boolean {
  return one.memoryKib === other.memoryKib && one.passes === other.passes && one.lanes === other.lanes;
}

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

/** Reads a stored hash. Only this file writes them, so any other form is a broken row and not a wrong password. */
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
  return withoutEnd(bytes.toString('base64'), '=');
}
