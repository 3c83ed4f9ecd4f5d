/** What this device last knew of the vault, and whether anything was written here since. */
export type Mark = { version: number; isBehind: boolean };

export type Kept = { content: string; version: number };

/**
 * What is to be done where this device and the vault may have kept different words of one letter:
 * `same` nothing, `send` the vault gets this device's, `take` this device shows the vault's, `drop` they were saved or
 * discarded elsewhere, and `ask` both were written to since they were the same.
 */
export type Meeting = 'same' | 'send' | 'take' | 'drop' | 'ask';

export function meetingOf({
  device,
  vault,
  mark,
}: {
  /** Words that are not saved, on this device. */
  device: string | undefined;
  vault: Kept | undefined;
  mark: Mark | undefined;
}): Meeting {
  if (device === undefined) return vault ? 'take' : 'same';
  if (vault?.content === device) return 'same';
  if (!vault) return mark && mark.version > 0 && !mark.isBehind ? 'drop' : 'send';
  if (mark?.version === vault.version) return 'send';
  return mark && !mark.isBehind ? 'take' : 'ask';
}
