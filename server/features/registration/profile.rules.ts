import { inactivityDaysDefault, type ReleaseMethod } from '#shared/rules/inactivity.ts';

export type SafetySettings = { phone: string | null; releaseMethod: ReleaseMethod; inactivityDays: number };

/**
 * True if an owner without a verified address may save these settings: each one once, while it has its default. The
 * same choice again is allowed, so that a repeated press or an interrupted save does not end in a refusal.
 */
export function maySaveUnverified(present: SafetySettings, wanted: SafetySettings): boolean {
  const mayPhone = present.phone === null || present.phone === wanted.phone;
  return mayPhone && (isUntouched({ ...present, phone: null }) || isSameRelease(present, wanted));
}

/** True if these are the defaults of every new account. */
export function isUntouched({ phone, releaseMethod, inactivityDays }: SafetySettings): boolean {
  return phone === null && releaseMethod === 'inactivity' && inactivityDays === inactivityDaysDefault;
}

function isSameRelease(one: SafetySettings, other: SafetySettings): boolean {
  return one.releaseMethod === other.releaseMethod && one.inactivityDays === other.inactivityDays;
}
