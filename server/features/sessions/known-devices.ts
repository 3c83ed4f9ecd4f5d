import { timingSafeEqual } from 'node:crypto';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { newToken } from '#server/platform/crypto/token.ts';

/** People who share a tablet; the one who signed in longest ago is forgotten. */
const ownersMax = 5;
const separator = '.';

/** Whose devices: the address that signs in, and since when those of before are not known any more. */
export type DeviceOwner = { email: string; devicesForgottenAt: Date | null };

export type KnownDevices = {
  /**
   * Under which name wrong passwords for an address are counted. A device on which its owner has signed in before has
   * a count of its own, so that nobody can lock them out there by guessing elsewhere (OWASP, "device cookies").
   */
  throttlingKey(owner: DeviceOwner, device: string | null): string;
  /** The same for every device that is not known. */
  throttlingKeyOf(email: string): string;
  /** What the device keeps from now on, after a sign-in to this address. */
  remember(owner: DeviceOwner, device: string | null): string;
};

/**
 * The cookie is a random number and, for each owner who signed in there, a mark that only we can make of that number
 * and the address. It says nothing about the address and opens nothing. A new password, and signing all others out,
 * make every mark of before worthless: a thief who signed in once with a stolen password may have got one.
 */
export function createKnownDevices(keys: Pick<ServiceKeys, 'derive'>): KnownDevices {
  function markOf(deviceId: string, { email, devicesForgottenAt }: DeviceOwner): string {
    const since = devicesForgottenAt === null ? '' : ` ${devicesForgottenAt.getTime()}`;
    return keys.derive('known-device', `${deviceId} ${email}${since}`);
  }

  const throttlingKeyOf = (who: string) => keys.derive('wrong-tries', who);

  return {
    throttlingKeyOf,
    throttlingKey(owner, device) {
      const { deviceId, marks } = parsed(device);
      const isKnown = deviceId !== null && holds(marks, markOf(deviceId, owner));
      return throttlingKeyOf(isKnown ? `device ${deviceId} ${owner.email}` : owner.email);
    },
    remember(owner, device) {
      const known = parsed(device);
      const deviceId = known.deviceId ?? newToken();
      const mark = markOf(deviceId, owner);
      const others = known.marks.filter((other) => other !== mark);
      return [deviceId, mark, ...others].slice(0, 1 + ownersMax).join(separator);
    },
  };
}

/** 256 bits in base64url, as tokens and derived values are. */
const partPattern = /^[\w-]{43}$/;

function parsed(device: string | null): { deviceId: string | null; marks: string[] } {
  const [deviceId, ...marks] = device?.split(separator) ?? [];
  const isOurs = deviceId !== undefined && [deviceId, ...marks].every((part) => partPattern.test(part));
  return isOurs && marks.length <= ownersMax ? { deviceId, marks } : { deviceId: null, marks: [] };
}

function holds(marks: readonly string[], mark: string): boolean {
  return marks.some((one) => timingSafeEqual(Buffer.from(one), Buffer.from(mark)));
}
