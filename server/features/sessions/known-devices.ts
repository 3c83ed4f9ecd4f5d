import { timingSafeEqual } from 'node:crypto';
import type { App } from '#server/app.ts';
import { newToken } from '#server/platform/crypto/token.ts';

/** Largest number of owners that one device remembers, such as people who share a tablet. The earliest is forgotten. */
const ownersMax = 5;
const separator = '.';

/** Owner's address, and the time when their known devices were last forgotten. */
type DeviceOwner = { email: string; devicesForgottenAt: Date | null };

// The device's cookie is a random number, and a mark for each owner who signed in there. Only we can make that mark from the
// number and the address. It says nothing about the address and opens nothing. A new password, and signing out all other
// devices, void every earlier mark, since a thief with a stolen password may have got one.

/**
 * Returns the name under which wrong passwords for an address are counted. A known device has a separate count, so that
 * a stranger who guesses elsewhere can't lock the owner out (OWASP, "device cookies").
 */
export function throttlingKey(app: App, owner: DeviceOwner, device: string | null): string {
  const { deviceId, marks } = parsed(device);
  const isKnown = deviceId !== null && holds(marks, markOf(app, deviceId, owner));
  return throttlingKeyOf(app, isKnown ? `device ${deviceId} ${owner.email}` : owner.email);
}

/** Returns the throttling key that all unknown devices share. */
export function throttlingKeyOf({ serviceKeys }: App, email: string): string {
  return serviceKeys.derive('wrong-tries', email);
}

/** Returns the device cookie's value after a sign-in of this owner. `device` is its value before. */
export function rememberedDevice(app: App, owner: DeviceOwner, device: string | null): string {
  const known = parsed(device);
  const deviceId = known.deviceId ?? newToken();
  const mark = markOf(app, deviceId, owner);
  const others = known.marks.filter((other) => other !== mark);
  return [deviceId, mark, ...others].slice(0, 1 + ownersMax).join(separator);
}

function markOf({ serviceKeys }: App, deviceId: string, { email, devicesForgottenAt }: DeviceOwner): string {
  const since = devicesForgottenAt === null ? '' : ` ${devicesForgottenAt.getTime()}`;
  return serviceKeys.derive('known-device', `${deviceId} ${email}${since}`);
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
