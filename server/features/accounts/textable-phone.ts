import { readPhone } from '#server/platform/sms/phone-number.ts';
import { AppError } from '#shared/contract/errors.ts';

/**
 * The number in the form of E.164; null for none.
 *
 * @throws AppError `VALIDATION` with the reason if the number can't be texted.
 */
export function textableNumber(phone: string | null): string | null {
  if (phone === null) return null;
  const { number, problem } = readPhone(phone);
  if (problem !== null) throw new AppError('VALIDATION', problem, { issues: [{ path: 'phone', message: problem }] });
  return number;
}
