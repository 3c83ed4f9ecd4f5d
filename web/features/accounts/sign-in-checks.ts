import { zodResolver } from '@hookform/resolvers/zod';
import { loginBody, newPasswordForm, registerForm, resetPasswordBody } from '#shared/contract/accounts.ts';

/* Validation of the forms that lead into the vault. Loaded when a person uses one (`late-check.ts`). */

export const loginCheck = zodResolver(loginBody);
export const registerCheck = zodResolver(registerForm);
export const resetCheck = zodResolver(resetPasswordBody);
export const newPasswordCheck = zodResolver(newPasswordForm);
