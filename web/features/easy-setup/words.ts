import type { ToastContent } from '#web/lib/toast.ts';
import type { PartName, StepName } from './answers.rules.ts';

export const stepTitles: Record<StepName, string> = {
  welcome: 'Welcome',
  settings: 'Safety Settings',
  contact: 'Add Your Trusted Person',
  message: 'Write Your First Message',
  account: 'Create Your Account',
  done: 'All Set!',
};

export const partTitles: Record<PartName, string> = {
  settings: 'Safety settings',
  contact: 'Trusted person',
  message: 'First message',
};

export const saveLabels: Record<PartName, string> = {
  settings: 'Save Settings',
  contact: 'Add Trusted Person',
  message: 'Save Message',
};

export const saveFailed: ToastContent = {
  title: 'Error saving data',
  description: 'Please try again.',
  variant: 'destructive',
};

/** Notice after a part was saved. */
export function savedNotice(part: PartName, isVerified: boolean): ToastContent {
  if (part === 'settings') return { title: 'Safety settings saved!' };
  if (part === 'message') return { title: 'Message created!' };
  return {
    title: 'Trusted person added!',
    description: isVerified
      ? 'They will get an email to confirm.'
      : 'They will get an email to confirm, once you have confirmed your own address.',
  };
}

/** Notice after the account was opened. A verified address means that it existed before. */
export function openedNotice(isVerified: boolean): ToastContent {
  return isVerified
    ? { title: 'You are signed in', description: 'You had an account already. We used that one.' }
    : { title: 'Account created successfully!', description: 'Check your email to verify your address.' };
}
