import { zodResolver } from '@hookform/resolvers/zod';
import { loginBody, newPasswordForm, resetPasswordBody } from '#shared/contract/accounts.ts';

/* What the forms that lead into the vault are checked by. Fetched once somebody uses one (`late-check.ts`). */

export const loginCheck = zodResolver(loginBody);
export const resetCheck = zodResolver(resetPasswordBody);
export const newPasswordCheck = zodResolver(newPasswordForm);
