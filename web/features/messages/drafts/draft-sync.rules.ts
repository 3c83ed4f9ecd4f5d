/** Last version that this device knew of the vault, and a flag for changes here since. */
export type Mark = { version: number; isBehind: boolean };

export type Kept = { content: string; version: number };

/**
 * Next step if this device and the vault may have different words of one letter.
 * - `same`: nothing.
 * - `send`: the vault gets the words of this device.
 * - `take`: this device shows the words of the vault.
 * - `drop`: the words were saved or discarded elsewhere.
 * - `ask`: both were changed since they were equal.
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
