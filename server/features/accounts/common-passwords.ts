import { readFileSync } from 'node:fs';
import { AppError } from '#shared/contract/errors.ts';
import { passwordProblem } from './passwords.rules.ts';

/** One a line, in lower case. The length rule refuses the shorter ones already. */
const listFile = new URL('./common-passwords.txt', import.meta.url);

let known: ReadonlySet<string> | undefined;

/** True if a password, in lower case, is among the most used ones. The first call reads the list. */
export function isCommonPassword(lowered: string): boolean {
  known ??= new Set(readFileSync(listFile, 'utf8').split('\n').filter(Boolean));
  return known.has(lowered);
}

/** @throws AppError `VALIDATION` for a password that is easily guessed. Its length is the contract's concern. */
export function checkNewPassword(choice: { password: string; email: string }): void {
  const problem = passwordProblem(choice, isCommonPassword);
  if (problem) throw new AppError('VALIDATION', problem, { issues: [{ path: 'password', message: problem }] });
}
