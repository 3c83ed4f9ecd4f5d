/* Troubles of the service as a whole. */

/**
 * `worker`: no worker is heard of. `site`: the site no longer answers at its public address. `clock`: it is behind a time that
 * it has shown before, so nothing moves forward. `bounces`: the mailbox in which mails come back cannot be read.
 * `backups`: none could be made, or read back, where one is made every night.
 */
export const troubles = ['worker', 'site', 'clock', 'bounces', 'backups'] as const;
export type Trouble = (typeof troubles)[number];
