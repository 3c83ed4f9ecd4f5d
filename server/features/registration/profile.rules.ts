import { inactivityDaysDefault, type ReleaseMethod } from '#shared/rules/inactivity.ts';

export type SafetySettings = { phone: string | null; releaseMethod: ReleaseMethod; inactivityDays: number };

/**
 * Whether an owner whose address is not verified yet may save these settings: each once, while it was not chosen. The
 * same choice again is no change, so that a repeated press, a lost answer or a save that was interrupted half-way
 * does not end in a refusal.
 */
export function maySaveUnverified(present: SafetySettings, wanted: SafetySettings): boolean {
  const mayPhone = present.phone === null || present.phone === wanted.phone;
  return mayPhone && (isUntouched({ ...present, phone: null }) || isSameRelease(present, wanted));
}

/** Whether these are the settings that every account starts with. */
export function isUntouched({ phone, releaseMethod, inactivityDays }: SafetySettings): boolean {
  return phone === null && releaseMethod === 'inactivity' && inactivityDays === inactivityDaysDefault;
}

function isSameRelease(one: SafetySettings, other: SafetySettings): boolean {
  return one.releaseMethod === other.releaseMethod && one.inactivityDays === other.inactivityDays;
}
